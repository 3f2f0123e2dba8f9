// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/fixed_step.h"

namespace stoker::image {

Transform transform_to_tensor() {
  return {.id = "to_tensor",
          .name = "ToTensor",
          .help = "Makes numbers from 0 to 1 of the bytes: value / 255 in float32",
          .stage = Stage::ToTensor,
          .make = [](const ParamMap& /*params*/) -> std::unique_ptr<Operation> {
            return std::make_unique<FixedStep>(ToTensorStep{.scale = true});
          }};
}

}  // namespace stoker::image
