// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/webp/container.h"

#include <webp/decode.h>

#include <cstring>
#include <string_view>

namespace stoker::codec::webp {
namespace {

constexpr size_t kRiffHeadBytes = 12;  // "RIFF", the size, "WEBP"
constexpr size_t kHeadBytes = 8;       // name and size of a chunk
constexpr size_t kExtendedBytes = 10;  // flags, reserved, width - 1, height - 1
constexpr uint8_t kAnimationFlag = 0x02;
constexpr uint8_t kKnownFlags = 0x3E;  // profile, alpha, EXIF, XMP, animation
// The order of chunks behind the extended header; each is optional, but for the picture.
constexpr std::string_view kOrder[] = {"ICCP", "ALPH", "VP8 ", "VP8L", "EXIF", "XMP "};
constexpr size_t kAlpha = 1, kLossy = 2, kLossless = 3;

uint32_t read_u32(Bytes data, size_t at) {
  return data[at] | uint32_t{data[at + 1]} << 8 | uint32_t{data[at + 2]} << 16 |
         uint32_t{data[at + 3]} << 24;
}

uint32_t read_u24(Bytes data, size_t at) {
  return read_u32(data, at) & 0xFFFFFF;
}

std::string_view name_at(Bytes data, size_t at) {
  return {reinterpret_cast<const char*>(data.data()) + at, 4};
}

Status refuse(const char* message) {
  return {ErrorCode::Unsupported, message};
}

class Walker {
 public:
  Walker(Bytes data, Picture& picture) : data_(data), picture_(picture) {}

  Status run() {
    if (!has_signature(data_) || data_.size() < kRiffHeadBytes + kHeadBytes) {
      return {ErrorCode::Corrupt, "not a WebP file"};
    }
    const size_t declared = size_t{read_u32(data_, 4)} + 8;
    if (declared > data_.size()) {
      return {ErrorCode::Truncated, "the file ends before its chunks do"};
    }
    if (declared < data_.size() || declared % 2 != 0) {
      return refuse("a file of another size than it says");
    }
    size_t at = kRiffHeadBytes;
    const bool extended = name_at(data_, at) == "VP8X";
    if (extended) {
      if (Status status = read_extended(at); !status.ok()) {
        return status;
      }
    }
    while (at < data_.size()) {
      if (Status status = take(at, extended); !status.ok()) {
        return status;
      }
    }
    return picture_.data.empty() ? refuse("no picture") : check_size(extended);
  }

 private:
  // Size of the chunk at `at` with its padding; 0 if it is not complete.
  size_t chunk_bytes(size_t at) const {
    if (data_.size() - at < kHeadBytes) {
      return 0;
    }
    const size_t body = read_u32(data_, at + 4);
    const size_t whole = kHeadBytes + body + body % 2;
    return whole <= data_.size() - at ? whole : 0;
  }

  Status read_extended(size_t& at) {
    if (read_u32(data_, at + 4) != kExtendedBytes || chunk_bytes(at) == 0) {
      return refuse("an unusual extended header");
    }
    const size_t body = at + kHeadBytes;
    const uint8_t flags = data_[body];
    if ((flags & kAnimationFlag) != 0) {
      return refuse("an animation");
    }
    if ((flags & ~kKnownFlags) != 0 || read_u24(data_, body + 1) != 0) {
      return refuse("unknown flags");
    }
    canvas_width_ = read_u24(data_, body + 4) + 1;
    canvas_height_ = read_u32(data_, body + 6) >> 8;  // the last three bytes
    canvas_height_ += 1;
    at += kHeadBytes + kExtendedBytes;
    return {};
  }

  Status take(size_t& at, bool extended) {
    const size_t bytes = chunk_bytes(at);
    if (bytes == 0) {
      return {ErrorCode::Corrupt, "an incomplete chunk"};
    }
    size_t kind = next_kind_;
    while (kind < std::size(kOrder) && kOrder[kind] != name_at(data_, at)) {
      ++kind;
    }
    const bool is_picture = kind == kLossy || kind == kLossless;
    if (kind == std::size(kOrder) || (!extended && !is_picture)) {
      return refuse("a chunk that is unknown or in the wrong place");
    }
    if (kind == kAlpha || is_picture) {
      if (!picture_.data.empty() && (kind == kLossless || alpha_end_ != at)) {
        return refuse("an unusual picture");
      }
      const size_t begin = picture_.data.empty() ? at : alpha_begin_;
      picture_.data = data_.subspan(begin, at + bytes - begin);
    }
    if (kind == kAlpha) {
      alpha_begin_ = at;
      alpha_end_ = at + bytes;
    }
    has_colours_ = has_colours_ || is_picture;
    next_kind_ = is_picture ? kLossless + 1 : kind + 1;
    at += bytes;
    return {};
  }

  Status check_size(bool extended) {
    WebPBitstreamFeatures features;
    if (!has_colours_ ||
        WebPGetFeatures(picture_.data.data(), picture_.data.size(), &features) != VP8_STATUS_OK) {
      return {ErrorCode::Corrupt, "a broken picture"};
    }
    picture_.width = features.width;
    picture_.height = features.height;
    if (features.width < 1 || features.height < 1 || features.has_animation != 0 ||
        (extended && (canvas_width_ != static_cast<uint32_t>(features.width) ||
                      canvas_height_ != static_cast<uint32_t>(features.height)))) {
      return refuse("a picture that is not as large as the canvas");
    }
    return {};
  }

  Bytes data_;
  Picture& picture_;
  uint32_t canvas_width_ = 0, canvas_height_ = 0;
  size_t next_kind_ = 0;
  size_t alpha_begin_ = 0, alpha_end_ = 0;
  bool has_colours_ = false;
};

}  // namespace

bool has_signature(Bytes data) {
  return data.size() >= kRiffHeadBytes && name_at(data, 0) == "RIFF" && name_at(data, 8) == "WEBP";
}

Status find_picture(Bytes data, Picture& picture) {
  picture = {};
  return Walker(data, picture).run();
}

}  // namespace stoker::codec::webp
