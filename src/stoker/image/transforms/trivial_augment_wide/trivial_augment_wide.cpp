// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/augment_space.h"

namespace stoker::image {
namespace {

class TrivialAugmentWide : public Operation {
 public:
  explicit TrivialAugmentWide(const ParamMap& params) { set_common(params, space_); }

  void plan(Draws& draws, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    const auto augmentation = static_cast<Augmentation>(draws.below(kAugmentations));
    const uint32_t bin =
        has_magnitude(augmentation) ? draws.below(static_cast<uint32_t>(space_.bins)) : 0;
    const bool negative = has_sign(augmentation) && draws.below(2) == 1;
    space_.append(augmentation, static_cast<int32_t>(bin), negative, width, height, steps);
  }

 private:
  AugmentSpace space_{
      .shear = 0.99, .translate = 32.0, .rotate = 135.0, .enhance = 0.99, .posterize = 6};
};

}  // namespace

Transform transform_trivial_augment_wide() {
  return {.id = "trivial_augment_wide",
          .name = "TrivialAugmentWide",
          .help = "Applies a random one of 14 augmentations with a random magnitude",
          .params = {num_magnitude_bins_param(), nearest_param(), outside_fill_param()},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<TrivialAugmentWide>(params);
          },
          .ops = augment_ops()};
}

}  // namespace stoker::image
