// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stoker/core/image_view.h"

namespace stoker::scan {

// Letters of 3 x 5 dots, each `dot` pixels wide and high, with a dot between two of them. Small
// letters look like capitals; what the font does not have is a full block.
inline constexpr int32_t kGlyphDots = 4;  // width with the gap
inline constexpr int32_t kGlyphRows = 5;

// Draws in one grey value into packed RGB, from (x, y) on; what does not fit is left out.
void draw_text(const ImageView& rgb, int32_t x, int32_t y, int32_t dot, uint8_t grey,
               std::string_view text);

// The text, or its end behind "..", so that it is no wider than `width` pixels.
std::string fit_text(std::string_view text, int32_t width, int32_t dot);

}  // namespace stoker::scan
