// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/augment_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stoker/core/error.h"
#include "stoker/image/ops/affine_matrix.h"
#include "stoker/image/ops/pixel_ops.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

// torch.linspace(first, last, count)[i] in float32, as torch computes it where the CPU has fused
// multiplication (every x86 CPU with AVX2): from the nearer end.
double evenly_spaced(double first, double last, int32_t count, int32_t i) {
  const auto low = static_cast<float>(first);
  const auto high = static_cast<float>(last);
  const float step = (high - low) / static_cast<float>(count - 1);
  return i < count / 2 ? std::fma(step, static_cast<float>(i), low)
                       : std::fma(-step, static_cast<float>(count - 1 - i), high);
}

PixelStep affine_step(const AffineMatrix& matrix, const std::array<uint8_t, 3>& fill) {
  PixelStep step{.op = &kAffine};
  std::copy(matrix.begin(), matrix.end(), step.arguments.begin());
  std::copy(fill.begin(), fill.end(), step.arguments.begin() + matrix.size());
  return step;
}

}  // namespace

bool has_sign(Augmentation augmentation) {
  return augmentation >= Augmentation::ShearX && augmentation <= Augmentation::Sharpness;
}

bool has_magnitude(Augmentation augmentation) {
  return has_sign(augmentation) || augmentation == Augmentation::Posterize ||
         augmentation == Augmentation::Solarize;
}

double AugmentSpace::magnitude(Augmentation augmentation, int32_t bin, int32_t width,
                               int32_t height) const {
  const auto up_to = [&](double most) { return evenly_spaced(0.0, most, bins, bin); };
  switch (augmentation) {
    case Augmentation::ShearX:
    case Augmentation::ShearY:
      return up_to(shear);
    case Augmentation::TranslateX:
      return up_to(translate_is_part ? translate * width : translate);
    case Augmentation::TranslateY:
      return up_to(translate_is_part ? translate * height : translate);
    case Augmentation::Rotate:
      return up_to(rotate);
    case Augmentation::Posterize:
      return 8 - round_half_even(static_cast<float>(bin) /
                                 static_cast<float>(static_cast<double>(bins - 1) / posterize));
    case Augmentation::Solarize:
      return evenly_spaced(255.0, 0.0, bins, bin);
    default:
      return up_to(enhance);
  }
}

void AugmentSpace::append(Augmentation augmentation, int32_t bin, bool negative, int32_t width,
                          int32_t height, std::vector<Step>& steps) const {
  const double size = magnitude(augmentation, bin, width, height);
  const double value = negative ? -size : size;
  const auto pixels = static_cast<int32_t>(value);
  const auto affine = [&](const AffineMatrix& matrix) {
    steps.emplace_back(affine_step(matrix, fill));
  };
  const auto add = [&](const PixelOp& op, double argument) {
    steps.emplace_back(PixelStep{.op = &op, .arguments = {argument}});
  };
  switch (augmentation) {
    case Augmentation::Identity:
      return;
    case Augmentation::ShearX:
      return affine(shear_x_matrix(value));
    case Augmentation::ShearY:
      return affine(shear_y_matrix(value));
    case Augmentation::TranslateX:
      return affine(translate_matrix(pixels, 0, width, height));
    case Augmentation::TranslateY:
      return affine(translate_matrix(0, pixels, width, height));
    case Augmentation::Rotate:
      return affine(rotate_matrix(value, width, height));
    case Augmentation::Brightness:
      return add(kAdjustBrightness, 1.0 + value);
    case Augmentation::Color:
      return add(kAdjustSaturation, 1.0 + value);
    case Augmentation::Contrast:
      return add(kAdjustContrast, 1.0 + value);
    case Augmentation::Sharpness:
      return add(kAdjustSharpness, 1.0 + value);
    case Augmentation::Posterize:
      return add(kPosterize, value);
    case Augmentation::Solarize:
      return add(kSolarize, value);
    case Augmentation::AutoContrast:
      return add(kAutocontrast, 0);
    case Augmentation::Equalize:
      return add(kEqualize, 0);
  }
}

Param num_magnitude_bins_param() {
  return {.name = "num_magnitude_bins",
          .kind = ParamKind::Int,
          .help = "number of different magnitudes",
          .fallback = "31",
          .min = 2,
          .max = 1'000'000};
}

Param nearest_param() {
  return interpolation_param("nearest");
}

Param outside_fill_param() {
  return {.name = "fill",
          .kind = ParamKind::Numbers,
          .help = "colour of what lies outside: one number, or one for each channel",
          .fallback = "0",
          .min = 0,
          .max = 255};
}

void set_common(const ParamMap& params, AugmentSpace& space) {
  if (filter_of(params) != Filter::Nearest) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("interpolation is {}, here only nearest is possible",
                            params.text("interpolation")),
                "leave it out: nearest is torchvision's default");
  }
  space.bins = static_cast<int32_t>(params.integer("num_magnitude_bins"));
  const std::array<float, 3> fill = per_channel(params, "fill");
  std::transform(fill.begin(), fill.end(), space.fill.begin(),
                 [](float value) { return static_cast<uint8_t>(value); });
}

std::vector<const PixelOp*> augment_ops() {
  return {&kAffine,    &kAdjustBrightness, &kAdjustSaturation, &kAdjustContrast, &kAdjustSharpness,
          &kPosterize, &kSolarize,         &kAutocontrast,     &kEqualize};
}

}  // namespace stoker::image
