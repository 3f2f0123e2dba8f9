// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "stoker/image/step.h"
#include "stoker/pipeline/render.h"

namespace stoker::pipeline {

// Steps as one plan of a renderer, which decodes only what they need.
struct Folded {
  RenderPlan plan;
  size_t steps = 0;  // so many of the first steps are in the plan
};

// As many steps as one plan can hold: crops and flips, one resize, crops and flips. Every crop must
// lie inside the image that it meets.
Folded fold(std::span<const image::Step> steps, int32_t width, int32_t height,
            image::PassOrder order);

}  // namespace stoker::pipeline
