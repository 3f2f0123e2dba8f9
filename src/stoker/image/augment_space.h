// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stoker/image/transform.h"

namespace stoker::image {

// What torchvision's RandAugment and TrivialAugmentWide choose from, in their order.
enum class Augmentation : uint8_t {
  Identity,
  ShearX,
  ShearY,
  TranslateX,
  TranslateY,
  Rotate,
  Brightness,
  Color,
  Contrast,
  Sharpness,
  Posterize,
  Solarize,
  AutoContrast,
  Equalize,
};
inline constexpr uint32_t kAugmentations = 14;

bool has_magnitude(Augmentation augmentation);
bool has_sign(Augmentation augmentation);  // its magnitude may be negative as well

// Greatest magnitudes; the first of `bins` is the least, which changes nothing.
struct AugmentSpace {
  double shear = 0;      // pixels for each pixel
  double translate = 0;  // pixels, or part of the side
  bool translate_is_part = false;
  double rotate = 0;   // degrees
  double enhance = 0;  // what is added to the factor 1, or taken from it
  int posterize = 0;   // bits that are lost
  int32_t bins = 0;
  std::array<uint8_t, 3> fill{};

  // Appends the steps for the magnitude number `bin`.
  void append(Augmentation augmentation, int32_t bin, bool negative, int32_t width, int32_t height,
              std::vector<Step>& steps) const;

 private:
  double magnitude(Augmentation augmentation, int32_t bin, int32_t width, int32_t height) const;
};

// Parameters that both have.
Param num_magnitude_bins_param();
Param nearest_param();
Param outside_fill_param();

// Takes them over. Throws Error with a hint for what is not done exactly.
void set_common(const ParamMap& params, AugmentSpace& space);

std::vector<const PixelOp*> augment_ops();

}  // namespace stoker::image
