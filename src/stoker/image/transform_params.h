// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "stoker/core/params.h"
#include "stoker/image/resample.h"

namespace stoker::image {

// Parameters that several transforms have, with torchvision's meanings. All of them throw Error
// with a hint when the values make no sense.

struct Size2d {
  int32_t height = 0;
  int32_t width = 0;
};

Param interpolation_param(const std::string& fallback);
Filter filter_of(const ParamMap& params);

// "224" or "224,160" (height, width).
Param size_param(const std::string& help);
// One number stands for both.
Size2d size_of(const ParamMap& params);

Param probability_param(const std::string& fallback);

// Two numbers, the first not above the second.
std::pair<float, float> range_of(const ParamMap& params, const std::string& name);

// One number for all channels, or one for each of three.
std::array<float, 3> per_channel(const ParamMap& params, const std::string& name);

// Python's round(): half to even.
int32_t round_half_even(double value);

}  // namespace stoker::image
