// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/fixed_step.h"

namespace stoker::image {

// ToDtype(torch.float32, scale=True) of torchvision v2. The type that comes out in the end is the
// loader's `dtype`, to which float32 values are rounded.
Transform transform_to_dtype() {
  return {
      .id = "to_dtype",
      .name = "ToDtype",
      .help = "Makes numbers of the bytes; with scale=True from 0 to 1. The type is the loader's",
      .params = {{.name = "dtype",
                  .kind = ParamKind::Text,
                  .help = "float32: what the values are computed in",
                  .choices = {"float32"},
                  .required = true},
                 {.name = "scale",
                  .kind = ParamKind::Flag,
                  .help = "divide by 255 in float32",
                  .fallback = "false"}},
      .stage = Stage::ToTensor,
      .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
        return std::make_unique<FixedStep>(ToTensorStep{.scale = params.flag("scale")});
      }};
}

}  // namespace stoker::image
