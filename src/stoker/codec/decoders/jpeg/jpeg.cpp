// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/codec/check_request.h"
#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/decoders/jpeg/session.h"
#include "stoker/codec/decoders/jpeg/small_jpeg.h"

namespace stoker::codec {
namespace {

class JpegState : public DecoderState {
 public:
  Result<ImageInfo> read_info(Bytes data) override { return read_info_indexed(data, {}); }

  Result<ImageInfo> read_info_indexed(Bytes data, Bytes index) override {
    header_of_ = {};
    ImageInfo info;
    indexed_ = !index.empty() && small_.open(data, index);
    if (indexed_) {
      info = indexed_info();
    } else if (Status status = read_plain_info(data, info); !status.ok()) {
      return status;
    }
    header_of_ = data;
    index_of_ = index;
    info_ = info;
    return info;
  }

  Status decode(Bytes data, const DecodeRequest& request, const ImageView& out) override {
    if (data.empty() || !is_same(header_of_, data) || !is_same(index_of_, request.index)) {
      if (const Result<ImageInfo> info = read_info_indexed(data, request.index); !info.ok()) {
        return info.status();
      }
    }
    header_of_ = {};  // decoding uses it up
    if (Status status = check(request, out); !status.ok()) {
      return status;
    }
    if (indexed_) {
      if (small_.build(request.region) && decode_small(request, out).ok()) {
        return {};
      }
      // The index does not help here, or it lied.
      if (Status status = read_plain_info(data, info_); !status.ok()) {
        return status;
      }
    }
    return session_.decode(request, info_.clean, out);
  }

 private:
  static bool is_same(Bytes a, Bytes b) { return a.data() == b.data() && a.size() == b.size(); }

  Status read_plain_info(Bytes data, ImageInfo& info) {
    if (Status status = session_.read_header(data); !status.ok()) {
      return status;
    }
    info.width = session_.width();
    info.height = session_.height();
    info.channels = session_.channels();
    info.progressive = session_.progressive();
    info.end_bytes = jpeg::clean_end(data);
    info.clean = info.end_bytes != 0;
    return {};
  }

  // libjpeg has not seen the file then, and need not.
  ImageInfo indexed_info() const {
    ImageInfo info;
    info.width = static_cast<int32_t>(small_.header().width);
    info.height = static_cast<int32_t>(small_.header().height);
    info.channels = static_cast<int32_t>(small_.header().component_count);
    info.end_bytes = small_.end_bytes();
    info.clean = true;
    return info;
  }

  Status decode_small(const DecodeRequest& request, const ImageView& out) {
    if (Status status = session_.read_header(small_.file()); !status.ok()) {
      return status;
    }
    return session_.decode({small_.region(), request.format}, true, out);
  }

  Status check(const DecodeRequest& request, const ImageView& out) const {
    Status status = check_request(info_, request, out);
    if (status.ok() && info_.channels != 1 && info_.channels != 3) {
      status = {ErrorCode::Unsupported, fmt::format("a JPEG with {} components", info_.channels)};
    }
    return status;
  }

  jpeg::Session session_;
  jpeg::SmallJpeg small_;
  Bytes header_of_, index_of_;  // what info_ was read from
  ImageInfo info_;
  bool indexed_ = false;  // info_ comes from index_of_, and session_ has no header
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
