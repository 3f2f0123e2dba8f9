// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stoker/core/image_view.h"

namespace stoker::image {

using ByteTable = std::array<uint8_t, 256>;

// Replaces red, green and blue of every pixel by what the table says.
void look_up(const ImageView& rgbx, const ByteTable& table);
void look_up(const ImageView& rgbx, const std::array<ByteTable, 3>& tables);

// How often each value occurs in red, green and blue.
using Histogram = std::array<uint32_t, 256>;
std::array<Histogram, 3> histograms(const ImageView& rgbx);

}  // namespace stoker::image
