// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/random_flip.h"

namespace stoker::image {

Transform transform_random_vertical_flip() {
  return {.id = "random_vertical_flip",
          .name = "RandomVerticalFlip",
          .help = "Lets top and bottom change places with probability p",
          .params = {probability_param("0.5")},
          .make = [](const ParamMap& params) { return make_random_flip(params, false); }};
}

}  // namespace stoker::image
