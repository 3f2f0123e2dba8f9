// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/fixed_step.h"

namespace stoker::image {

Transform transform_pil_to_tensor() {
  return {.id = "pil_to_tensor",
          .name = "PILToTensor",
          .help = "Keeps the values 0 to 255",
          .stage = Stage::ToTensor,
          .make = [](const ParamMap& /*params*/) -> std::unique_ptr<Operation> {
            return std::make_unique<FixedStep>(ToTensorStep{.scale = false});
          }};
}

}  // namespace stoker::image
