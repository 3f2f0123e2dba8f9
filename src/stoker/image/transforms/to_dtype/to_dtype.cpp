// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/fixed_step.h"

namespace stoker::image {

// The type itself is the loader's `dtype`.
Transform transform_to_dtype() {
  return {
      .id = "to_dtype",
      .name = "ToDtype",
      .help = "Makes numbers of the bytes; with scale=True from 0 to 1. The type is the loader's",
      .params = {{.name = "scale",
                  .kind = ParamKind::Flag,
                  .help = "divide by 255 in float32",
                  .fallback = "false"}},
      .stage = Stage::ToTensor,
      .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
        return std::make_unique<FixedStep>(ToTensorStep{.scale = params.flag("scale")});
      }};
}

}  // namespace stoker::image
