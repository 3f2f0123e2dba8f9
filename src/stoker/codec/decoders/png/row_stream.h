// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include "stoker/codec/decoder.h"
#include "stoker/core/buffer.h"

namespace stoker::codec::png {

// The rows of a PNG: inflated from its IDAT chunks some hundred kB at a time, and unfiltered.
class RowStream {
 public:
  RowStream();  // throws std::bad_alloc
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  // `chunks` begins at the first IDAT chunk's length; all chunks in it are IDAT and complete.
  // `most_row_bytes`: no row is longer. Throws std::bad_alloc.
  void start(Bytes chunks, size_t most_row_bytes);
  // The row above the next one counts as zeros: at the start, and of each pass of an interlaced
  // image.
  void forget_row_above() { has_above_ = false; }
  // Takes the next row; null on failure. `unfiltered`: false when neither this row nor one below
  // it is looked at. Good until the next call.
  const uint8_t* next(size_t row_bytes, size_t pixel_bytes, bool unfiltered);
  // The compressed stream ends after the last row, with the right checksum, and no data follow.
  bool at_end();
  // After next() or at_end() has failed.
  Status failure() const { return {error_, message_}; }

 private:
  void fill();
  void inflate_into(uint8_t* end);
  bool next_chunk();
  void fail(ErrorCode code, const char* message);
  bool has(size_t bytes) const { return static_cast<size_t>(end_ - begin_) >= bytes; }

  z_stream stream_{};
  Bytes chunks_;  // not yet given to zlib
  Buffer buffer_, zeros_;
  uint8_t* begin_ = nullptr;  // of what is inflated and not yet taken
  uint8_t* end_ = nullptr;
  uint8_t* above_ = nullptr;  // the row above, in buffer_
  bool has_above_ = false;
  bool ended_ = false;
  ErrorCode error_ = ErrorCode::Ok;
  const char* message_ = "";
};

}  // namespace stoker::codec::png
