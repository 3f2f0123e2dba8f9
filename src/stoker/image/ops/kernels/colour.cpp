// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/kernels/colour.h"

#include "stoker/image/ops/kernels/colour_scalar.h"

#define HWY_TARGET_INCLUDE "stoker/image/ops/kernels/colour.cpp"
#include "stoker/image/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stoker::image {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::RebindToSigned<DFloat>;
using DByte = hn::Rebind<uint8_t, DFloat>;
using Float = hn::Vec<DFloat>;
using Int = hn::Vec<DInt>;

constexpr size_t kLanes = HWY_MAX_BYTES / 4;

// Not rounded in between, as a fused multiplication would not.
HWY_INLINE Int blended(Float from, Float to, Float factor) {
  const DFloat d;
  const Float value = hn::Add(from, hn::Mul(factor, hn::Sub(to, from)));
  return hn::ConvertTo(DInt(), hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, 255.0F)));
}

template <class D>
HWY_INLINE hn::Vec<D> load_pixels(D d, const uint8_t* rgbx) {
  return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, D>(), rgbx));
}

template <class D>
HWY_INLINE void store_pixels(D /*d*/, hn::Vec<D> red, hn::Vec<D> green, hn::Vec<D> blue,
                             uint8_t* rgbx) {
  const hn::Repartition<uint8_t, D> bytes;
  const auto pixels = hn::Or(red, hn::Or(hn::ShiftLeft<8>(green), hn::ShiftLeft<16>(blue)));
  hn::StoreU(hn::BitCast(bytes, pixels), bytes, rgbx);
}

template <int kShift, class D>
HWY_INLINE hn::Vec<D> channel(D d, hn::Vec<D> pixels) {
  return hn::And(hn::ShiftRight<kShift>(pixels), hn::Set(d, 255));
}

// The sum stays below 2^24, so float32 has it exactly.
HWY_INLINE Int grey_of(Float red, Float green, Float blue) {
  const DFloat d;
  const Float sum =
      hn::Add(hn::Add(hn::Mul(red, hn::Set(d, 19595.0F)), hn::Mul(green, hn::Set(d, 38470.0F))),
              hn::Add(hn::Mul(blue, hn::Set(d, 7471.0F)), hn::Set(d, 32768.0F)));
  return hn::ShiftRight<16>(hn::ConvertTo(DInt(), sum));
}

void blend(uint8_t* rgbx, size_t pixels, uint8_t from, float factor) {
  const DFloat d;
  const Float start = hn::Set(d, static_cast<float>(from));
  const Float factors = hn::Set(d, factor);
  const size_t bytes = 4 * pixels;
  size_t i = 0;
  for (; i + kLanes <= bytes; i += kLanes) {
    const Int value = hn::PromoteTo(DInt(), hn::LoadU(DByte(), rgbx + i));
    const Int mixed = blended(start, hn::ConvertTo(d, value), factors);
    hn::StoreU(hn::DemoteTo(DByte(), mixed), DByte(), rgbx + i);
  }
  i = i / 4 * 4;
  blend_scalar(rgbx + i, pixels - i / 4, from, factor);
}

void blend_with_grey(uint8_t* rgbx, size_t pixels, float factor) {
  const DFloat d;
  const DInt whole;
  const Float factors = hn::Set(d, factor);
  size_t i = 0;
  for (; i + kLanes <= pixels; i += kLanes) {
    const Int pixel = load_pixels(whole, rgbx + 4 * i);
    const Float red = hn::ConvertTo(d, channel<0>(whole, pixel));
    const Float green = hn::ConvertTo(d, channel<8>(whole, pixel));
    const Float blue = hn::ConvertTo(d, channel<16>(whole, pixel));
    const Float grey = hn::ConvertTo(d, grey_of(red, green, blue));
    store_pixels(whole, blended(grey, red, factors), blended(grey, green, factors),
                 blended(grey, blue, factors), rgbx + 4 * i);
  }
  blend_with_grey_scalar(rgbx + 4 * i, pixels - i, factor);
}

uint64_t sum_of_grey(const uint8_t* rgbx, size_t pixels) {
  const DFloat d;
  const DInt whole;
  Int sums = hn::Zero(whole);
  size_t i = 0;
  for (; i + kLanes <= pixels; i += kLanes) {
    const Int pixel = load_pixels(whole, rgbx + 4 * i);
    sums = hn::Add(sums, grey_of(hn::ConvertTo(d, channel<0>(whole, pixel)),
                                 hn::ConvertTo(d, channel<8>(whole, pixel)),
                                 hn::ConvertTo(d, channel<16>(whole, pixel))));
  }
  const auto sum = static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(whole, sums)));
  return sum + sum_of_grey_scalar(rgbx + 4 * i, pixels - i);
}

// Hues are computed in double in part, with as many pixels at once as doubles fit.
using DDouble = hn::ScalableTag<double>;
using DHalf = hn::Rebind<float, DDouble>;
using DHalfInt = hn::Rebind<int32_t, DDouble>;
using Double = hn::Vec<DDouble>;
using Half = hn::Vec<DHalf>;
using HalfInt = hn::Vec<DHalfInt>;

constexpr size_t kHalfLanes = HWY_MAX_BYTES / 8;

HWY_INLINE Double widened(Half value) {
  return hn::PromoteTo(DDouble(), value);
}

// Rounds to float32.
HWY_INLINE Double narrowed(Double value) {
  return widened(hn::DemoteTo(DHalf(), value));
}

HWY_INLINE HalfInt whole_part(Double value) {
  return hn::DemoteTo(DHalfInt(), value);
}

HWY_INLINE HalfInt choose(hn::Mask<DHalfInt> first, HalfInt a, hn::Mask<DHalfInt> second, HalfInt b,
                          HalfInt rest) {
  return hn::IfThenElse(first, a, hn::IfThenElse(second, b, rest));
}

struct HalfHsv {
  HalfInt hue, saturation, value;
};

HWY_INLINE HalfHsv to_hsv(HalfInt red, HalfInt green, HalfInt blue) {
  const DDouble d;
  const DHalf half;
  const DHalfInt whole;
  const HalfInt most = hn::Max(red, hn::Max(green, blue));
  const HalfInt least = hn::Min(red, hn::Min(green, blue));
  const HalfInt one = hn::Set(whole, 1);
  const Half range = hn::ConvertTo(half, hn::Max(hn::Sub(most, least), one));
  const auto is_red = hn::Eq(red, most);
  const auto is_green = hn::Eq(green, most);
  // What is added and taken away: blue and green, red and blue, green and red.
  const HalfInt plus = choose(is_red, blue, is_green, red, green);
  const HalfInt minus = choose(is_red, green, is_green, blue, red);
  const HalfInt base =
      choose(is_red, hn::Zero(whole), is_green, hn::Set(whole, 2), hn::Set(whole, 4));
  const auto share = [&](HalfInt colour) HWY_ATTR {
    return widened(hn::Div(hn::ConvertTo(half, hn::Sub(most, colour)), range));
  };
  const Double sixths =
      narrowed(hn::Sub(hn::Add(hn::PromoteTo(d, base), share(plus)), share(minus)));
  const Double unit = hn::Set(d, 1.0);
  const Double turns = hn::Add(hn::Div(sixths, hn::Set(d, 6.0)), unit);
  const Double turn = narrowed(hn::IfThenElse(hn::Ge(turns, unit), hn::Sub(turns, unit), turns));
  const Double most_byte = hn::Set(d, 255.0);
  const Double saturation = widened(hn::Div(range, hn::ConvertTo(half, hn::Max(most, one))));
  const auto is_grey = hn::Eq(most, least);
  return {hn::IfThenZeroElse(is_grey, whole_part(hn::Mul(turn, most_byte))),
          hn::IfThenZeroElse(is_grey, whole_part(hn::Mul(saturation, most_byte))), most};
}

HWY_INLINE void store_rgb(const HalfHsv& hsv, uint8_t* rgbx) {
  const DDouble d;
  const DHalfInt whole;
  const Double unit = hn::Set(d, 1.0);
  const Double most_byte = hn::Set(d, 255.0);
  const Double sixths = hn::Div(hn::Mul(hn::PromoteTo(d, hsv.hue), hn::Set(d, 6.0)), most_byte);
  const HalfInt reached = whole_part(sixths);
  const Double part = narrowed(hn::Sub(sixths, hn::PromoteTo(d, reached)));
  const Double odd = hn::PromoteTo(d, hn::And(reached, hn::Set(whole, 1)));
  const Double rest = hn::IfThenElse(hn::Eq(odd, unit), part, hn::Sub(unit, part));
  const Double value = hn::PromoteTo(d, hsv.value);
  const Double saturation = narrowed(hn::Div(hn::PromoteTo(d, hsv.saturation), most_byte));
  const auto rounded = [&](Double share) HWY_ATTR {
    return whole_part(hn::Add(hn::Mul(value, hn::Sub(unit, share)), hn::Set(d, 0.5)));
  };
  const HalfInt low = rounded(saturation);
  const HalfInt middle = rounded(hn::Mul(saturation, rest));
  const auto is = [&](int32_t a, int32_t b) HWY_ATTR {
    return hn::Or(hn::Eq(reached, hn::Set(whole, a)), hn::Eq(reached, hn::Set(whole, b)));
  };
  const auto first = hn::Or(is(0, 5), is(6, 6));
  const HalfInt red = choose(first, hsv.value, is(1, 4), middle, low);
  const HalfInt green = choose(is(1, 2), hsv.value, hn::Or(is(0, 3), is(6, 6)), middle, low);
  const HalfInt blue = choose(is(3, 4), hsv.value, is(2, 5), middle, low);
  store_pixels(whole, red, green, blue, rgbx);
}

void shift_hue(uint8_t* rgbx, size_t pixels, uint8_t shift) {
  const DHalfInt whole;
  size_t i = 0;
  for (; i + kHalfLanes <= pixels; i += kHalfLanes) {
    const HalfInt pixel = load_pixels(whole, rgbx + 4 * i);
    HalfHsv hsv =
        to_hsv(channel<0>(whole, pixel), channel<8>(whole, pixel), channel<16>(whole, pixel));
    hsv.hue = hn::And(hn::Add(hsv.hue, hn::Set(whole, shift)), hn::Set(whole, 255));
    store_rgb(hsv, rgbx + 4 * i);
  }
  shift_hue_scalar(rgbx + 4 * i, pixels - i, shift);
}
#endif  // HWY_TARGET

}  // namespace HWY_NAMESPACE
}  // namespace stoker::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

const ColourKernels& colour_kernels(SimdTarget target) {
  static constexpr ColourKernels scalar = {blend_scalar, blend_with_grey_scalar, sum_of_grey_scalar,
                                           shift_hue_scalar};
  static constexpr ColourKernels sse4 = {N_SSE4::blend, N_SSE4::blend_with_grey,
                                         N_SSE4::sum_of_grey, N_SSE4::shift_hue};
  static constexpr ColourKernels avx2 = {N_AVX2::blend, N_AVX2::blend_with_grey,
                                         N_AVX2::sum_of_grey, N_AVX2::shift_hue};
  static constexpr ColourKernels avx3 = {N_AVX3::blend, N_AVX3::blend_with_grey,
                                         N_AVX3::sum_of_grey, N_AVX3::shift_hue};
  return choose(target, &scalar, &sse4, &avx2, &avx3);
}

}  // namespace stoker::image
#endif  // HWY_ONCE
