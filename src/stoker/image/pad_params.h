// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/core/params.h"
#include "stoker/image/step.h"

namespace stoker::image {

// fill and padding_mode, as torchvision's Pad and RandomCrop have them.
Param fill_param();
Param padding_mode_param();

// Borders of `padding`: one number for all sides, two (left and right, top and bottom), or four
// (left, top, right, bottom); with fill and mode. Throws Error with a hint.
PadStep pad_step_of(const ParamMap& params);

}  // namespace stoker::image
