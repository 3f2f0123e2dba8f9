// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/kernels/pixels.h"

#include <algorithm>
#include <cstring>

#include "stoker/image/kernels/pixels_scalar.h"

#define HWY_TARGET_INCLUDE "stoker/image/kernels/pixels.cpp"
#include "stoker/image/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::image {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::RebindToSigned<DFloat>;
using DByte = hn::Rebind<uint8_t, DFloat>;

void reverse(uint8_t* rgbx, size_t pixels) {
  const hn::ScalableTag<uint8_t> bytes;
  const hn::ScalableTag<uint32_t> words;
  constexpr size_t kPixels = HWY_MAX_BYTES / 4;
  size_t i = 0;
  size_t j = pixels;
  for (; i + 2 * kPixels <= j; i += kPixels) {
    j -= kPixels;
    const auto left = hn::BitCast(words, hn::LoadU(bytes, rgbx + 4 * i));
    const auto right = hn::BitCast(words, hn::LoadU(bytes, rgbx + 4 * j));
    hn::StoreU(hn::BitCast(bytes, hn::Reverse(words, right)), bytes, rgbx + 4 * i);
    hn::StoreU(hn::BitCast(bytes, hn::Reverse(words, left)), bytes, rgbx + 4 * j);
  }
  reverse_scalar(rgbx + 4 * i, j - i);
}

void rgbx_to_rgb(const uint8_t* rgbx, size_t pixels, uint8_t* rgb) {
  const hn::CappedTag<uint8_t, 16> lane;
  HWY_ALIGN static constexpr uint8_t kOrder[16] = {0,  1,  2,  4,  5,    6,    8,    9,
                                                   10, 12, 13, 14, 0x80, 0x80, 0x80, 0x80};
  const auto order = hn::Load(lane, kOrder);
  size_t i = 0;
  // Each store writes 4 bytes too many; the pixels after it overwrite them.
  for (; i + 6 <= pixels; i += 4) {
    hn::StoreU(hn::TableLookupBytesOr0(hn::LoadU(lane, rgbx + 4 * i), order), lane, rgb + 3 * i);
  }
  rgbx_to_rgb_scalar(rgbx + 4 * i, pixels - i, rgb + 3 * i);
}

HWY_INLINE hn::Vec<DFloat> to_unit(hn::Vec<DByte> bytes) {
  const DFloat d;
  return hn::Div(hn::ConvertTo(d, hn::PromoteTo(DInt(), bytes)), hn::Set(d, 255.0F));
}

void rgb_to_planes(const uint8_t* rgb, size_t pixels, float* const* planes) {
  const DFloat d;
  constexpr size_t kPixels = HWY_MAX_BYTES / 4;
  size_t i = 0;
  for (; i + kPixels <= pixels; i += kPixels) {
    hn::Vec<DByte> red;
    hn::Vec<DByte> green;
    hn::Vec<DByte> blue;
    hn::LoadInterleaved3(DByte(), rgb + 3 * i, red, green, blue);
    hn::StoreU(to_unit(red), d, planes[0] + i);
    hn::StoreU(to_unit(green), d, planes[1] + i);
    hn::StoreU(to_unit(blue), d, planes[2] + i);
  }
  float* const rest[3] = {planes[0] + i, planes[1] + i, planes[2] + i};
  rgb_to_planes_scalar(rgb + 3 * i, pixels - i, rest);
}

void grey_to_plane(const uint8_t* grey, size_t pixels, float* plane) {
  constexpr size_t kPixels = HWY_MAX_BYTES / 4;
  size_t i = 0;
  for (; i + kPixels <= pixels; i += kPixels) {
    hn::StoreU(to_unit(hn::LoadU(DByte(), grey + i)), DFloat(), plane + i);
  }
  grey_to_plane_scalar(grey + i, pixels - i, plane + i);
}

void normalize(const float* in, size_t values, float mean, float std, float* out) {
  const DFloat d;
  constexpr size_t kValues = HWY_MAX_BYTES / 4;
  const auto means = hn::Set(d, mean);
  const auto stds = hn::Set(d, std);
  size_t i = 0;
  for (; i + kValues <= values; i += kValues) {
    hn::StoreU(hn::Div(hn::Sub(hn::LoadU(d, in + i), means), stds), d, out + i);
  }
  normalize_scalar(in + i, values - i, mean, std, out + i);
}

void stream(const uint8_t* from, size_t bytes, uint8_t* to) {
  const hn::ScalableTag<uint8_t> d;
  const size_t step = hn::Lanes(d);
  const size_t head = std::min(bytes, (step - reinterpret_cast<uintptr_t>(to) % step) % step);
  std::memcpy(to, from, head);
  size_t i = head;
  for (; i + step <= bytes; i += step) {
    hn::Stream(hn::LoadU(d, from + i), d, to + i);
  }
  std::memcpy(to + i, from + i, bytes - i);
}
#endif  // HWY_TARGET

}  // namespace HWY_NAMESPACE
}  // namespace stoker::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

const PixelKernels& pixel_kernels(SimdTarget target) {
  static constexpr PixelKernels scalar = {reverse_scalar,       rgbx_to_rgb_scalar,
                                          rgb_to_planes_scalar, grey_to_plane_scalar,
                                          stream_scalar,        normalize_scalar};
  static constexpr PixelKernels sse4 = {N_SSE4::reverse,       N_SSE4::rgbx_to_rgb,
                                        N_SSE4::rgb_to_planes, N_SSE4::grey_to_plane,
                                        N_SSE4::stream,        N_SSE4::normalize};
  static constexpr PixelKernels avx2 = {N_AVX2::reverse,       N_AVX2::rgbx_to_rgb,
                                        N_AVX2::rgb_to_planes, N_AVX2::grey_to_plane,
                                        N_AVX2::stream,        N_AVX2::normalize};
  static constexpr PixelKernels avx3 = {N_AVX3::reverse,       N_AVX3::rgbx_to_rgb,
                                        N_AVX3::rgb_to_planes, N_AVX3::grey_to_plane,
                                        N_AVX3::stream,        N_AVX3::normalize};
  return choose(target, &scalar, &sse4, &avx2, &avx3);
}

}  // namespace stoker::image
#endif  // HWY_ONCE
