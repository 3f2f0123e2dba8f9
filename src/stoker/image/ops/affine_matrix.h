// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace stoker::image {

// The first six arguments of kAffine, rounded as torchvision and Pillow round them.
using AffineMatrix = std::array<double, 6>;

// F.affine with a shear along one axis, about the corner at the upper left. `slope` is pixels along
// it for each pixel across.
AffineMatrix shear_x_matrix(double slope);
AffineMatrix shear_y_matrix(double slope);

// F.affine with a shift by whole pixels; positive ones go right and down.
AffineMatrix translate_matrix(int32_t right, int32_t down, int32_t width, int32_t height);

// F.rotate about the middle, against the clock. Quarter turns of a square and half turns come out
// as Pillow's transpositions do.
AffineMatrix rotate_matrix(double degrees, int32_t width, int32_t height);

}  // namespace stoker::image
