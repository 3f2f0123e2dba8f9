// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/png/row_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "stoker/codec/decoders/png/unfilter.h"

namespace stoker::codec::png {
namespace {

constexpr size_t kBandBytes = size_t{192} << 10;  // stays in the cache of a core
constexpr size_t kChunkExtraBytes = 12;           // length, name, checksum

uint32_t read_u32(Bytes data) {
  return uint32_t{data[0]} << 24 | uint32_t{data[1]} << 16 | uint32_t{data[2]} << 8 | data[3];
}

}  // namespace

RowStream::RowStream() {
  if (inflateInit(&stream_) != Z_OK) {
    throw std::bad_alloc();
  }
}

RowStream::~RowStream() {
  (void)inflateEnd(&stream_);
}

void RowStream::start(Bytes chunks, size_t most_row_bytes) {
  // Room for the row above and one more, or for many.
  (void)buffer_.resize(std::max(2 * (most_row_bytes + 1), kBandBytes) + kSlackBytes);
  std::memset(zeros_.resize(most_row_bytes + kSlackBytes), 0, most_row_bytes + kSlackBytes);
  chunks_ = chunks;
  stream_.next_in = nullptr;
  stream_.avail_in = 0;
  begin_ = end_ = buffer_.data();
  has_above_ = false;
  ended_ = false;
  error_ = ErrorCode::Ok;
  if (inflateReset(&stream_) != Z_OK) {
    fail(ErrorCode::Internal, "zlib cannot be reset");
  }
}

// The first failure counts.
void RowStream::fail(ErrorCode code, const char* message) {
  if (error_ == ErrorCode::Ok) {
    error_ = code;
    message_ = message;
  }
}

bool RowStream::next_chunk() {
  if (chunks_.empty()) {
    return false;
  }
  const size_t length = read_u32(chunks_);
  // zlib only reads from it.
  stream_.next_in = const_cast<uint8_t*>(chunks_.data() + 8);
  stream_.avail_in = static_cast<uInt>(length);
  chunks_ = chunks_.subspan(length + kChunkExtraBytes);
  return true;
}

// Inflates until `end` is reached or nothing more comes.
void RowStream::inflate_into(uint8_t* end) {
  while (end_ < end && !ended_ && error_ == ErrorCode::Ok) {
    if (stream_.avail_in == 0 && !next_chunk()) {
      return fail(ErrorCode::Truncated, "the compressed data end too early");
    }
    const auto room =
        std::min<size_t>(static_cast<size_t>(end - end_), std::numeric_limits<uInt>::max());
    stream_.next_out = end_;
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    end_ = stream_.next_out;
    if (result == Z_STREAM_END) {
      ended_ = true;
    } else if (result != Z_OK && !(result == Z_BUF_ERROR && stream_.avail_in == 0)) {
      fail(ErrorCode::Corrupt, stream_.msg != nullptr ? stream_.msg : "bad compressed data");
    }
  }
}

// Moves what is still needed to the front and inflates as much as fits behind it.
void RowStream::fill() {
  const uint8_t* keep = has_above_ ? above_ : begin_;
  const auto moved = keep - buffer_.data();
  const auto kept = static_cast<size_t>(end_ - keep);
  if (kept > 0) {
    std::memmove(buffer_.data(), keep, kept);
  }
  above_ -= has_above_ ? moved : 0;
  begin_ -= moved;
  end_ -= moved;
  inflate_into(buffer_.data() + buffer_.capacity_bytes() - kSlackBytes);
}

const uint8_t* RowStream::next(size_t row_bytes, size_t pixel_bytes, bool unfiltered) {
  if (!has(row_bytes + 1)) {
    fill();
    if (!has(row_bytes + 1)) {
      fail(ErrorCode::Truncated, "too few rows");
      return nullptr;
    }
  }
  const uint8_t filter = *begin_;
  uint8_t* const row = begin_ + 1;
  if (filter >= kFilters) {
    fail(ErrorCode::Corrupt, "an unknown filter");
    return nullptr;
  }
  if (unfiltered) {
    unfilter(filter, row, has_above_ ? above_ : zeros_.data(), row_bytes, pixel_bytes);
  }
  above_ = row;
  has_above_ = true;
  begin_ = row + row_bytes;
  return row;
}

bool RowStream::at_end() {
  if (!ended_ && begin_ == end_) {
    has_above_ = false;
    fill();
  }
  if (begin_ != end_ || stream_.avail_in != 0 || !chunks_.empty()) {
    fail(ErrorCode::Corrupt, "data behind the last row");
  }
  return error_ == ErrorCode::Ok;
}

}  // namespace stoker::codec::png
