// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/core/error.h"
#include "stoker/image/augment_space.h"

namespace stoker::image {
namespace {

class RandAugment : public Operation {
 public:
  explicit RandAugment(const ParamMap& params)
      : count_(params.integer("num_ops")), magnitude_(params.integer("magnitude")) {
    set_common(params, space_);
    if (magnitude_ >= space_.bins) {
      throw Error(
          ErrorCode::InvalidArgument,
          fmt::format("magnitude is {}, but num_magnitude_bins is {}", magnitude_, space_.bins),
          "give a magnitude below num_magnitude_bins");
    }
  }

  void plan(Draws& draws, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    for (int64_t i = 0; i < count_; ++i) {
      const auto augmentation = static_cast<Augmentation>(draws.below(kAugmentations));
      const bool negative = has_sign(augmentation) && draws.below(2) == 1;
      space_.append(augmentation, static_cast<int32_t>(magnitude_), negative, width, height, steps);
    }
  }

 private:
  int64_t count_, magnitude_;
  AugmentSpace space_{.shear = 0.3,
                      .translate = 150.0 / 331.0,
                      .translate_is_part = true,
                      .rotate = 30.0,
                      .enhance = 0.9,
                      .posterize = 4};
};

}  // namespace

Transform transform_rand_augment() {
  return {.id = "rand_augment",
          .name = "RandAugment",
          .help = "Applies random ones of 14 augmentations, all of one magnitude",
          .params = {{.name = "num_ops",
                      .kind = ParamKind::Int,
                      .help = "number of augmentations, one after the other",
                      .fallback = "2",
                      .min = 0},
                     {.name = "magnitude",
                      .kind = ParamKind::Int,
                      .help = "how strong they are, below num_magnitude_bins",
                      .fallback = "9",
                      .min = 0},
                     num_magnitude_bins_param(),
                     nearest_param(),
                     outside_fill_param()},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<RandAugment>(params);
          },
          .ops = augment_ops()};
}

}  // namespace stoker::image
