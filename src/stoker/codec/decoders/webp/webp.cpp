// SPDX-License-Identifier: Apache-2.0
#include <webp/decode.h>

#include <cstring>

#include "stoker/codec/check_request.h"
#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/webp/container.h"
#include "stoker/core/buffer.h"

namespace stoker::codec {
namespace {

constexpr size_t kPixelBytes = 4;  // RGBA, as Pillow decodes it

ErrorCode code_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return ErrorCode::TooLarge;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return ErrorCode::Unsupported;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return ErrorCode::Truncated;
    default:
      return ErrorCode::Corrupt;
  }
}

void drop_alpha(const uint8_t* in, int32_t width, uint8_t* out) {
  for (int32_t x = 0; x < width; ++x, in += kPixelBytes, out += 3) {
    std::memcpy(out, in, 3);
  }
}

class WebpState : public DecoderState {
 public:
  Result<ImageInfo> read_info(Bytes data) override {
    header_of_ = {};
    if (Status status = webp::find_picture(data, picture_); !status.ok()) {
      return status;
    }
    info_ = {};
    info_.width = picture_.width;
    info_.height = picture_.height;
    info_.channels = 3;
    header_of_ = data;
    return info_;
  }

  Status decode(Bytes data, const DecodeRequest& request, const ImageView& out) override {
    if (data.empty() || data.data() != header_of_.data() || data.size() != header_of_.size()) {
      if (const Result<ImageInfo> info = read_info(data); !info.ok()) {
        return info.status();
      }
    }
    header_of_ = {};  // the bytes may change before the next call
    if (Status status = check_request(info_, request, out); !status.ok()) {
      return status;
    }
    const Region whole = {0, 0, info_.width, info_.height};
    if (request.region == whole && request.format == PixelFormat::Rgbx) {
      return decode_whole(out);
    }
    const size_t stride = static_cast<size_t>(info_.width) * kPixelBytes;
    const ImageView all = {scratch_.resize(stride * static_cast<size_t>(info_.height)), info_.width,
                           info_.height, static_cast<int32_t>(kPixelBytes), stride};
    if (Status status = decode_whole(all); !status.ok()) {
      return status;
    }
    copy_region(all, request, out);
    return {};
  }

 private:
  // With alpha, as Pillow does: a broken alpha plane is an error there.
  Status decode_whole(const ImageView& out) {
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) {
      return {ErrorCode::Internal, "libwebp is of another version"};
    }
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = out.data;
    config.output.u.RGBA.stride = static_cast<int>(out.stride_bytes);
    config.output.u.RGBA.size = out.stride_bytes * static_cast<size_t>(out.height);
    const VP8StatusCode status = WebPDecode(picture_.data.data(), picture_.data.size(), &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? Status() : Status(code_of(status), "libwebp cannot decode it");
  }

  static void copy_region(const ImageView& all, const DecodeRequest& request,
                          const ImageView& out) {
    const Region& r = request.region;
    for (int32_t y = 0; y < r.height(); ++y) {
      const uint8_t* in = all.row(r.y0 + y) + static_cast<size_t>(r.x0) * kPixelBytes;
      if (request.format == PixelFormat::Rgbx) {
        std::memcpy(out.row(y), in, static_cast<size_t>(r.width()) * kPixelBytes);
      } else {
        drop_alpha(in, r.width(), out.row(y));
      }
    }
  }

  webp::Picture picture_;
  ImageInfo info_;
  Bytes header_of_;  // what picture_ was found in
  Buffer scratch_;
};

std::unique_ptr<DecoderState> make_webp_state() {
  return std::make_unique<WebpState>();
}

}  // namespace

Decoder decoder_webp();

Decoder decoder_webp() {
  return {.id = "webp",
          .help = "still WebP pictures by libwebp, with the pixels of Pillow's convert(\"RGB\")",
          .probe = webp::has_signature,
          .make_state = make_webp_state};
}

}  // namespace stoker::codec
