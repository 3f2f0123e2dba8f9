// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/image/step.h"

namespace stoker::pipeline {

// A step by its name and numbers: what people and tests see of it.
//   crop [top, left, height, width], resize [height, width, Pillow's number of the filter],
//   flip [1: horizontal, 0: vertical], pad [left, top, right, bottom, mode 0 to 3 (constant, edge,
//   reflect, symmetric), red, green, blue], to_tensor [1: divided by 255, 0: not],
//   normalize [3 means, 3 stds], erase [top, left, height, width, 3 values, 1: noise, 0: values],
//   or the name of a pixel operation with its arguments.
struct NamedStep {
  std::string name;
  std::vector<double> values;
};

NamedStep named(const image::Step& step);
// Throws Error for an unknown name or a wrong number of values.
image::Step step_of(const NamedStep& named);

}  // namespace stoker::pipeline
