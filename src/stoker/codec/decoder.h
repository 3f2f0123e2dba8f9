// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "stoker/core/image_view.h"
#include "stoker/core/status.h"

namespace stoker::codec {

using Bytes = std::span<const uint8_t>;

// What a header says.
struct ImageInfo {
  int32_t width = 0;
  int32_t height = 0;
  int32_t channels = 0;  // 1 grey, 3 colour, 4 CMYK
  bool progressive = false;
  // The region path is exact and cannot fail late: one scan, nothing in it but stuffed bytes and
  // restart markers in order, and an end marker (see jpeg/scan.h).
  bool clean = false;
  size_t end_bytes = 0;  // of a clean file: just behind its end marker; junk may follow
};

// Pixel layout of the output. Grey to RGB replicates, as Pillow's convert("RGB") does.
enum class PixelFormat : uint8_t { Grey, Rgb, Rgbx };

struct DecodeRequest {
  Region region;  // in pixels of the whole image; must lie inside it and not be empty
  PixelFormat format = PixelFormat::Rgbx;
  // What an index knows of this file, as made by the decoder; empty: nothing. A hint that saves
  // time: one that does not belong to these bytes is noticed and not used.
  Bytes index = {};
};

// Decoder state that a thread keeps between images, so that nothing is allocated per image in the
// steady state. Not thread-safe: one a thread.
class DecoderState {
 public:
  virtual ~DecoderState() = default;
  // Reads the header; cheap, decodes no pixel. Must be called before decode().
  virtual Result<ImageInfo> read_info(Bytes data) = 0;
  // The same with what an index knows of the file (see DecodeRequest::index), which can spare a
  // look through all of it. Pass the same index to decode().
  virtual Result<ImageInfo> read_info_indexed(Bytes data, Bytes /*index*/) {
    return read_info(data);
  }
  // Writes exactly the pixels of `request.region` into `out` (region's size, the format's channels;
  // rows of RGBX need no padding). A libjpeg warning is a failure with code Corrupt:
  // the caller hands such a file to Pillow.
  virtual Status decode(Bytes data, const DecodeRequest& request, const ImageView& out) = 0;
};

// A plug-in: one folder of codec/decoders.
struct Decoder {
  std::string id;
  std::string help;
  bool (*probe)(Bytes data) = nullptr;  // by content, never by file name
  std::unique_ptr<DecoderState> (*make_state)() = nullptr;
};

}  // namespace stoker::codec
