// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/decoders/jpeg/session.h"

namespace stoker::codec {
namespace {

int32_t channels_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::Grey:
      return 1;
    case PixelFormat::Rgb:
      return 3;
    case PixelFormat::Rgbx:
      break;
  }
  return 4;
}

class JpegState : public DecoderState {
 public:
  Result<ImageInfo> read_info(Bytes data) override {
    header_of_ = {};
    if (Status status = session_.read_header(data); !status.ok()) {
      return status;
    }
    header_of_ = data;
    const size_t end_bytes = jpeg::clean_end(data);
    clean_ = end_bytes != 0;
    ImageInfo info;
    info.width = session_.width();
    info.height = session_.height();
    info.channels = session_.channels();
    info.progressive = session_.progressive();
    info.clean = clean_;
    info.end_bytes = end_bytes;
    return info;
  }

  Status decode(Bytes data, const DecodeRequest& request, const ImageView& out) override {
    const bool header_is_read =
        header_of_.data() == data.data() && header_of_.size() == data.size() && !data.empty();
    if (!header_is_read) {
      if (const Result<ImageInfo> info = read_info(data); !info.ok()) {
        return info.status();
      }
    }
    header_of_ = {};  // decoding uses it up
    if (Status status = check(request, out); !status.ok()) {
      return status;
    }
    return session_.decode(request, clean_, out);
  }

 private:
  Status check(const DecodeRequest& request, const ImageView& out) const {
    const Region& r = request.region;
    if (r.x0 < 0 || r.y0 < 0 || r.x0 >= r.x1 || r.y0 >= r.y1 || r.x1 > session_.width() ||
        r.y1 > session_.height()) {
      return {ErrorCode::InvalidArgument,
              fmt::format("region ({}, {}, {}, {}) is empty or outside an image of {} x {}", r.x0,
                          r.y0, r.x1, r.y1, session_.width(), session_.height())};
    }
    if (out.width != r.width() || out.height != r.height() ||
        out.channels != channels_of(request.format)) {
      return {ErrorCode::InvalidArgument, "the output does not have the size of the region"};
    }
    if (session_.channels() != 1 && session_.channels() != 3) {
      return {ErrorCode::Unsupported,
              fmt::format("a JPEG with {} components", session_.channels())};
    }
    if (request.format == PixelFormat::Grey && session_.channels() != 1) {
      return {ErrorCode::Unsupported, "grey pixels of a colour JPEG"};
    }
    return {};
  }

  jpeg::Session session_;
  Bytes header_of_;  // what session_ holds the header of
  bool clean_ = false;
};

bool probe_jpeg(Bytes data) {
  return data.size() >= 3 && data[0] == 0xFF && data[1] == 0xD8 && data[2] == 0xFF;
}

std::unique_ptr<DecoderState> make_jpeg_state() {
  return std::make_unique<JpegState>();
}

}  // namespace

Decoder decoder_jpeg();

Decoder decoder_jpeg() {
  return {
      .id = "jpeg",
      .help = "JPEG by libjpeg-turbo, with the pixels of Pillow; decodes only the region asked for",
      .probe = probe_jpeg,
      .make_state = make_jpeg_state};
}

}  // namespace stoker::codec
