// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::image {

// The plain loops that the kernels of colour.h are tested against, and their ends of rows.
void blend_scalar(uint8_t* rgbx, size_t pixels, uint8_t from, float factor);
void blend_with_grey_scalar(uint8_t* rgbx, size_t pixels, float factor);
uint64_t sum_of_grey_scalar(const uint8_t* rgbx, size_t pixels);
void shift_hue_scalar(uint8_t* rgbx, size_t pixels, uint8_t shift);

}  // namespace stoker::image
