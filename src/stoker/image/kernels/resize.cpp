// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/kernels/resize.h"

#include <algorithm>
#include <cstring>

#include "stoker/image/axis.h"
#include "stoker/image/kernels/resize_scalar.h"

#define HWY_TARGET_INCLUDE "stoker/image/kernels/resize.cpp"
#include "stoker/image/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::image {
namespace HWY_NAMESPACE {

// Plain x86 without SSE4 runs the scalar kernels.
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using DU8 = hn::ScalableTag<uint8_t>;
using DI16 = hn::ScalableTag<int16_t>;
using DI32 = hn::ScalableTag<int32_t>;
using DLane = hn::CappedTag<uint8_t, 16>;
using VU8 = hn::Vec<DU8>;
using VI16 = hn::Vec<DI16>;
using VI32 = hn::Vec<DI32>;

constexpr int32_t kLanes = HWY_MAX_BYTES / 16;  // 128-bit lanes of a vector
constexpr int32_t kVectorBytes = HWY_MAX_BYTES;

// Two 16-bit products, added, for each 32-bit sum.
HWY_INLINE VI32 add_products(VI16 pixels, int32_t weights, VI32 sum) {
  VI32 unused = hn::Zero(DI32());
  return hn::ReorderWidenMulAccumulate(DI32(), pixels,
                                       hn::BitCast(DI16(), hn::Set(DI32(), weights)), sum, unused);
}

// Sums of the high and the low parts of the weights.
struct Sum {
  VI32 high, low;

  // Not a constructor: GCC would not compile an implicit one for the target.
  HWY_INLINE void start() {
    high = hn::Zero(DI32());
    low = hn::Set(DI32(), 1 << (kWeightBits - 1));
  }
  // `weights`: a split pair.
  HWY_INLINE void add(VI16 pixels, const int32_t* weights) {
    high = add_products(pixels, weights[0], high);
    low = add_products(pixels, weights[1], low);
  }
  HWY_INLINE VI32 pixels() const {
    return hn::ShiftRight<kWeightBits>(hn::Add(hn::ShiftLeft<kLowBits>(high), low));
  }
};

// Narrows with saturation, lane by lane, so that bytes come out in the order in which unpacking
// lane by lane has taken them apart.
HWY_INLINE VU8 narrow(VI32 a, VI32 b, VI32 c, VI32 d) {
  const VI16 ab = hn::ReorderDemote2To(DI16(), a, b);
  const VI16 cd = hn::ReorderDemote2To(DI16(), c, d);
#if HWY_MAX_BYTES == 16
  return VU8{_mm_packus_epi16(ab.raw, cd.raw)};
#elif HWY_MAX_BYTES == 32
  return VU8{_mm256_packus_epi16(ab.raw, cd.raw)};
#else
  return VU8{_mm512_packus_epi16(ab.raw, cd.raw)};
#endif
}

// 16 bytes of each of kLanes rows.
HWY_INLINE VU8 load_lanes(const uint8_t* const* rows, size_t at) {
  const DLane lane;
#if HWY_MAX_BYTES == 16
  return hn::LoadU(lane, rows[0] + at);
#elif HWY_MAX_BYTES == 32
  return hn::Combine(DU8(), hn::LoadU(lane, rows[1] + at), hn::LoadU(lane, rows[0] + at));
#else
  const hn::Half<DU8> half;
  return hn::Combine(
      DU8(), hn::Combine(half, hn::LoadU(lane, rows[3] + at), hn::LoadU(lane, rows[2] + at)),
      hn::Combine(half, hn::LoadU(lane, rows[1] + at), hn::LoadU(lane, rows[0] + at)));
#endif
}

HWY_INLINE void store_lanes(VU8 v, uint8_t* const* rows, size_t at) {
  const DLane lane;
#if HWY_MAX_BYTES == 16
  hn::StoreU(v, lane, rows[0] + at);
#elif HWY_MAX_BYTES == 32
  hn::StoreU(hn::LowerHalf(lane, v), lane, rows[0] + at);
  hn::StoreU(hn::UpperHalf(lane, v), lane, rows[1] + at);
#else
  const hn::Half<DU8> half;
  const auto low = hn::LowerHalf(half, v);
  const auto high = hn::UpperHalf(half, v);
  hn::StoreU(hn::LowerHalf(lane, low), lane, rows[0] + at);
  hn::StoreU(hn::UpperHalf(lane, low), lane, rows[1] + at);
  hn::StoreU(hn::LowerHalf(lane, high), lane, rows[2] + at);
  hn::StoreU(hn::UpperHalf(lane, high), lane, rows[3] + at);
#endif
}

// Of four RGBX pixels in a lane, the first (or last) two as 16-bit pairs (r0 r1 g0 g1 b0 b1 x0 x1).
alignas(16) constexpr uint8_t kFirstPair[16] = {0, 0x80, 4, 0x80, 1, 0x80, 5, 0x80,
                                                2, 0x80, 6, 0x80, 3, 0x80, 7, 0x80};
alignas(16) constexpr uint8_t kLastPair[16] = {8,  0x80, 12, 0x80, 9,  0x80, 13, 0x80,
                                               10, 0x80, 14, 0x80, 11, 0x80, 15, 0x80};

// One output pixel of kLanes rows.
HWY_INLINE VI32 horizontal_pixel(const PassJob& job, const uint8_t* const* rows, int32_t x,
                                 VU8 first_pair, VU8 last_pair) {
  const int32_t* w = job.weights + static_cast<size_t>(x) * static_cast<size_t>(job.groups) * 4;
  size_t at = static_cast<size_t>(job.firsts[x]) * 4;
  Sum sum;
  sum.start();
  for (int32_t g = 0; g < job.groups; ++g, w += 4, at += 16) {
    const VU8 pixels = load_lanes(rows, at);
    sum.add(hn::BitCast(DI16(), hn::TableLookupBytesOr0(pixels, first_pair)), w);
    sum.add(hn::BitCast(DI16(), hn::TableLookupBytesOr0(pixels, last_pair)), w + 2);
  }
  return sum.pixels();
}

void horizontal(const PassJob& job) {
  const VU8 first_pair = hn::LoadDup128(DU8(), kFirstPair);
  const VU8 last_pair = hn::LoadDup128(DU8(), kLastPair);
  for (int32_t y = 0; y < job.height; y += kLanes) {
    const uint8_t* in[kLanes];
    uint8_t* out[kLanes];
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      // The last lanes repeat the last row.
      const auto row = static_cast<size_t>(std::min(y + lane, job.height - 1));
      in[lane] = job.in + row * job.in_stride_bytes;
      out[lane] = job.out + row * job.out_stride_bytes;
    }
    int32_t x = 0;
    for (; x + 4 <= job.width; x += 4) {
      const VI32 a = horizontal_pixel(job, in, x, first_pair, last_pair);
      const VI32 b = horizontal_pixel(job, in, x + 1, first_pair, last_pair);
      const VI32 c = horizontal_pixel(job, in, x + 2, first_pair, last_pair);
      const VI32 d = horizontal_pixel(job, in, x + 3, first_pair, last_pair);
      store_lanes(narrow(a, b, c, d), out, static_cast<size_t>(x) * 4);
    }
    for (; x < job.width; ++x) {
      const VI32 a = horizontal_pixel(job, in, x, first_pair, last_pair);
      HWY_ALIGN uint8_t bytes[kVectorBytes];
      hn::Store(narrow(a, a, a, a), DU8(), bytes);
      for (int32_t lane = 0; lane < kLanes; ++lane) {
        std::memcpy(out[lane] + 4 * x, bytes + 16 * lane, 4);
      }
    }
  }
}

// One vector of an output row.
HWY_INLINE VU8 vertical_vector(const uint8_t* const* rows, int32_t pairs, const int32_t* w,
                               size_t at) {
  const DU8 d;
  const VU8 zero = hn::Zero(d);
  Sum sums[4];
  for (Sum& sum : sums) {
    sum.start();
  }
  for (int32_t p = 0; p < pairs; ++p, w += 2) {
    const VU8 a = hn::LoadU(d, rows[2 * p] + at);
    const VU8 b = hn::LoadU(d, rows[2 * p + 1] + at);
    const VU8 low = hn::InterleaveLower(d, a, b);
    const VU8 high = hn::InterleaveUpper(d, a, b);
    sums[0].add(hn::BitCast(DI16(), hn::InterleaveLower(d, low, zero)), w);
    sums[1].add(hn::BitCast(DI16(), hn::InterleaveUpper(d, low, zero)), w);
    sums[2].add(hn::BitCast(DI16(), hn::InterleaveLower(d, high, zero)), w);
    sums[3].add(hn::BitCast(DI16(), hn::InterleaveUpper(d, high, zero)), w);
  }
  return narrow(sums[0].pixels(), sums[1].pixels(), sums[2].pixels(), sums[3].pixels());
}

void vertical_row(const uint8_t* const* rows, int32_t pairs, const int32_t* w, uint8_t* out,
                  size_t bytes) {
  size_t at = 0;
  for (; at + kVectorBytes <= bytes; at += kVectorBytes) {
    hn::StoreU(vertical_vector(rows, pairs, w, at), DU8(), out + at);
  }
  if (at < bytes) {
    HWY_ALIGN uint8_t tail[kVectorBytes];
    hn::Store(vertical_vector(rows, pairs, w, at), DU8(), tail);
    std::memcpy(out + at, tail, bytes - at);
  }
}

void vertical(const PassJob& job) {
  const int32_t taps = job.groups * kTapsInGroup;
  const uint8_t** rows = job.row_pointers;
  for (int32_t y = 0; y < job.height; ++y) {
    const int32_t* w = job.weights + static_cast<size_t>(y) * static_cast<size_t>(taps);
    // Weights of 0 at the end, which are pairs of zeros, need no work.
    int32_t pairs = taps / 2;
    while (pairs > 1 && w[2 * pairs - 2] == 0 && w[2 * pairs - 1] == 0) {
      --pairs;
    }
    for (int32_t k = 0; k < 2 * pairs; ++k) {
      const int32_t row = std::min(job.firsts[y] + k, job.source_rows - 1);
      rows[k] = job.in + static_cast<size_t>(row) * job.in_stride_bytes;
    }
    vertical_row(rows, pairs, w, job.out + static_cast<size_t>(y) * job.out_stride_bytes,
                 static_cast<size_t>(job.width) * 4);
  }
}
#endif  // HWY_TARGET

}  // namespace HWY_NAMESPACE
}  // namespace stoker::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

const ResizeKernels& resize_kernels(SimdTarget target) {
  static constexpr ResizeKernels scalar = {false, horizontal_scalar, vertical_scalar};
  static constexpr ResizeKernels sse4 = {true, N_SSE4::horizontal, N_SSE4::vertical};
  static constexpr ResizeKernels avx2 = {true, N_AVX2::horizontal, N_AVX2::vertical};
  static constexpr ResizeKernels avx3 = {true, N_AVX3::horizontal, N_AVX3::vertical};
  return choose(target, &scalar, &sse4, &avx2, &avx3);
}

}  // namespace stoker::image
#endif  // HWY_ONCE
