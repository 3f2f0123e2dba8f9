// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/check_request.h"

#include <fmt/format.h>

namespace stoker::codec {

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

Status check_request(const ImageInfo& info, const DecodeRequest& request, const ImageView& out) {
  const Region& r = request.region;
  if (r.x0 < 0 || r.y0 < 0 || r.x0 >= r.x1 || r.y0 >= r.y1 || r.x1 > info.width ||
      r.y1 > info.height) {
    return {ErrorCode::InvalidArgument,
            fmt::format("region ({}, {}, {}, {}) is empty or outside an image of {} x {}", r.x0,
                        r.y0, r.x1, r.y1, info.width, info.height)};
  }
  if (out.width != r.width() || out.height != r.height() ||
      out.channels != channels_of(request.format)) {
    return {ErrorCode::InvalidArgument, "the output does not have the size of the region"};
  }
  if (request.format == PixelFormat::Grey && info.channels != 1) {
    return {ErrorCode::Unsupported, "grey pixels of a colour image"};
  }
  return {};
}

}  // namespace stoker::codec
