// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pixels.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "stoker/image/kernels/pixels.h"

namespace stoker::image {

ImageView rgbx_memory(Buffer& buffer, int32_t width, int32_t height) {
  constexpr size_t kSlackBytes = 64;
  const size_t stride = static_cast<size_t>(width) * 4;
  return {buffer.resize(stride * static_cast<size_t>(height) + kSlackBytes), width, height, 4,
          stride};
}

void flip_horizontal(const ImageView& rgbx) {
  const PixelKernels& kernels = pixel_kernels(current_target());
  for (int32_t y = 0; y < rgbx.height; ++y) {
    kernels.reverse(rgbx.row(y), static_cast<size_t>(rgbx.width));
  }
}

void flip_vertical(const ImageView& rgbx) {
  const size_t row_bytes = static_cast<size_t>(rgbx.width) * 4;
  for (int32_t top = 0, bottom = rgbx.height - 1; top < bottom; ++top, --bottom) {
    std::swap_ranges(rgbx.row(top), rgbx.row(top) + row_bytes, rgbx.row(bottom));
  }
}

void pack(const ImageView& rgbx, const ImageView& out) {
  const PixelKernels& kernels = pixel_kernels(current_target());
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* in = rgbx.row(y);
    uint8_t* to = out.row(y);
    if (out.channels == 3) {
      kernels.rgbx_to_rgb(in, static_cast<size_t>(rgbx.width), to);
      continue;
    }
    for (int32_t x = 0; x < rgbx.width; ++x) {
      to[x] = in[static_cast<size_t>(x) * 4];
    }
  }
}

void unpack(const ImageView& in, const Region& region, const ImageView& rgbx) {
  const auto channels = static_cast<size_t>(in.channels);
  const size_t green = channels == 3 ? 1 : 0;
  const size_t blue = channels == 3 ? 2 : 0;
  for (int32_t y = 0; y < region.height(); ++y) {
    const uint8_t* from = in.row(region.y0 + y) + static_cast<size_t>(region.x0) * channels;
    uint8_t* to = rgbx.row(y);
    for (int32_t x = 0; x < region.width(); ++x, from += channels, to += 4) {
      const uint8_t pixel[4] = {from[0], from[green], from[blue], 255};
      std::memcpy(to, pixel, 4);
    }
  }
}

void to_tensor(const uint8_t* hwc, int32_t height, int32_t width, int32_t channels, float* out) {
  const PixelKernels& kernels = pixel_kernels(current_target());
  const size_t plane = static_cast<size_t>(height) * static_cast<size_t>(width);
  if (channels == 3) {
    float* const planes[3] = {out, out + plane, out + 2 * plane};
    kernels.rgb_to_planes(hwc, plane, planes);
  } else {
    kernels.grey_to_plane(hwc, plane, out);
  }
}

void normalize(const float* in, int32_t channels, size_t plane, const float* mean, const float* std,
               float* out) {
  const PixelKernels& kernels = pixel_kernels(current_target());
  for (int32_t c = 0; c < channels; ++c) {
    const size_t at = static_cast<size_t>(c) * plane;
    kernels.normalize(in + at, plane, mean[c], std[c], out + at);
  }
}

void stream(const void* from, size_t bytes, void* to) {
  pixel_kernels(current_target())
      .stream(static_cast<const uint8_t*>(from), bytes, static_cast<uint8_t*>(to));
}

void stream_end() {
  hwy::FlushStream();
}

const char* simd_target() {
  return name_of(current_target());
}

}  // namespace stoker::image
