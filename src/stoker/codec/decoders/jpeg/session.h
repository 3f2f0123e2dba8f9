// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/arena.h"
#include "stoker/codec/decoders/jpeg/error_trap.h"
#include "stoker/codec/decoders/jpeg/memory_source.h"
#include "stoker/codec/libjpeg.h"
#include "stoker/core/buffer.h"

namespace stoker::codec::jpeg {

// One libjpeg decompress object, reused for image after image.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Reads up to the first scan. The data must stay where they are until decode() has returned.
  Status read_header(Bytes data);
  // After read_header(). `partial`: leave out what the region does not need, which is exact only
  // for a clean file; otherwise the whole file is read, to its end marker.
  Status decode(const DecodeRequest& request, bool partial, const ImageView& out);

  int32_t width() const { return static_cast<int32_t>(cinfo_.image_width); }
  int32_t height() const { return static_cast<int32_t>(cinfo_.image_height); }
  int32_t channels() const { return cinfo_.num_components; }
  bool progressive() const { return cinfo_.progressive_mode != 0; }

 private:
  void start(PixelFormat format);
  void read_part(const Region& region, int32_t pixel_bytes, const ImageView& out);
  void read_whole(const Region& region, int32_t pixel_bytes, const ImageView& out);
  void read_rows(int32_t y_end, const Region& region, int32_t x_offset, int32_t pixel_bytes,
                 const ImageView& out);
  void read_row(uint8_t* row);

  jpeg_decompress_struct cinfo_{};
  jpeg_source_mgr source_{};
  ErrorTrap error_{};
  ArenaHooks hooks_;
  Buffer row_;
};

}  // namespace stoker::codec::jpeg
