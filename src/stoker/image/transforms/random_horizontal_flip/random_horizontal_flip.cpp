// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/random_flip.h"

namespace stoker::image {

Transform transform_random_horizontal_flip() {
  return {.id = "random_horizontal_flip",
          .name = "RandomHorizontalFlip",
          .help = "Lets left and right change places with probability p",
          .params = {probability_param("0.5")},
          .make = [](const ParamMap& params) { return make_random_flip(params, true); }};
}

}  // namespace stoker::image
