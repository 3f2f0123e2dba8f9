// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/core/image_view.h"
#include "stoker/image/step.h"

namespace stoker::image {

// RGBX `in` with a border as torchvision's pad puts it round a Pillow image. `out` has the size of
// both together. Reflect and Symmetric may need pixels of the other edge: any border is possible.
void pad(const ImageView& in, const PadStep& step, const ImageView& out);

}  // namespace stoker::image
