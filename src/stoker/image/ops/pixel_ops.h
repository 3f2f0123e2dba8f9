// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/image/step.h"

namespace stoker::image {

// torchvision.transforms.functional on a Pillow RGB image, byte for byte. Each may be applied by
// many threads at once, each with a PixelScratch of its own. Factors are rounded to float32, as
// Pillow does.
extern const PixelOp kAdjustBrightness;
extern const PixelOp kAdjustContrast;
extern const PixelOp kAdjustSaturation;
extern const PixelOp kAdjustHue;  // factor from -0.5 to 0.5: part of the colour circle
extern const PixelOp kAdjustSharpness;
extern const PixelOp kPosterize;  // bits 1 to 8
extern const PixelOp kSolarize;
extern const PixelOp kAutocontrast;
extern const PixelOp kEqualize;

// Pillow's Image.transform(AFFINE, NEAREST) into an image of the same size: the six numbers that
// make a place in the source of a place in the result, then the colour of what lies outside.
extern const PixelOp kAffine;

}  // namespace stoker::image
