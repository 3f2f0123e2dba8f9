// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/affine_matrix.h"

#include <gtest/gtest.h>

namespace stoker::image {
namespace {

// Numbers that torchvision hands to Pillow.
TEST(AffineMatrix, IsTorchvisions) {
  EXPECT_EQ(translate_matrix(7, 0, 37, 41), (AffineMatrix{1, 0, -7, 0, 1, 0}));
  EXPECT_EQ(translate_matrix(0, -3, 37, 41), (AffineMatrix{1, 0, 0, 0, 1, 3}));
  EXPECT_EQ(rotate_matrix(0, 5, 9), (AffineMatrix{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(rotate_matrix(90, 8, 8), (AffineMatrix{0, -1, 8, 1, 0, 0}));
  EXPECT_EQ(rotate_matrix(-90, 8, 8), (AffineMatrix{0, 1, 0, -1, 0, 8}));
  EXPECT_EQ(rotate_matrix(-9, 100, 60),
            (AffineMatrix{0.987688340595138, 0.156434465040231, -4.077450980963825,
                          -0.156434465040231, 0.987688340595138, 8.191073034157412}));
  EXPECT_EQ(shear_x_matrix(0.3), (AffineMatrix{1.0, 0.3, 0.0, 0.0, 1.0, 0.0}));
  EXPECT_EQ(shear_y_matrix(-0.3), (AffineMatrix{1.0, 0.0, 0.0, -0.3, 1.0, 0.0}));
}

}  // namespace
}  // namespace stoker::image
