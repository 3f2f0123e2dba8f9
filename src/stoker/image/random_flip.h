// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {

// What both random flips are.
std::unique_ptr<Operation> make_random_flip(const ParamMap& params, bool horizontal);

}  // namespace stoker::image
