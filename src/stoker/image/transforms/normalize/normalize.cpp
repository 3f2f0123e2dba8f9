// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/error.h"
#include "stoker/image/fixed_step.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {

Transform transform_normalize() {
  return {.id = "normalize",
          .name = "Normalize",
          .help = "(value - mean) / std of each channel, in float32",
          .params = {{.name = "mean",
                      .kind = ParamKind::Numbers,
                      .help = "one number for each of red, green and blue",
                      .required = true},
                     {.name = "std",
                      .kind = ParamKind::Numbers,
                      .help = "one number for each of red, green and blue",
                      .required = true}},
          .stage = Stage::Tensor,
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            const NormalizeStep step{per_channel(params, "mean"), per_channel(params, "std")};
            for (const float value : step.std) {
              if (value == 0) {
                throw Error(ErrorCode::InvalidArgument, "std has a 0, which would divide by zero");
              }
            }
            return std::make_unique<FixedStep>(step);
          }};
}

}  // namespace stoker::image
