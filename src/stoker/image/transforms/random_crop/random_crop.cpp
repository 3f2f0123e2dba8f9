// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stoker/image/pad_params.h"
#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

class RandomCrop : public Operation {
 public:
  explicit RandomCrop(const ParamMap& params)
      : size_(size_of(params)),
        border_(pad_step_of(params)),
        pads_(params.has("padding")),
        pad_if_needed_(params.flag("pad_if_needed")) {}

  void plan(Draws& draws, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    if (pads_) {
      pad(border_, width, height, steps);
    }
    if (pad_if_needed_) {
      pad_to_size(width, height, steps);
    }
    // An image that is smaller fails when the crop is applied.
    steps.emplace_back(CropStep{.top = offset(draws, height, size_.height),
                                .left = offset(draws, width, size_.width),
                                .height = size_.height,
                                .width = size_.width});
    width = size_.width;
    height = size_.height;
  }

 private:
  static void pad(const PadStep& step, int32_t& width, int32_t& height, std::vector<Step>& steps) {
    steps.emplace_back(step);
    width += step.left + step.right;
    height += step.top + step.bottom;
  }

  // On both sides of a direction that is too short, by all that is missing on each, as torchvision
  // does it.
  void pad_to_size(int32_t& width, int32_t& height, std::vector<Step>& steps) const {
    PadStep step = border_;
    step.top = step.bottom = 0;
    step.left = step.right = std::max(0, size_.width - width);
    if (step.left > 0) {
      pad(step, width, height, steps);
    }
    step.left = step.right = 0;
    step.top = step.bottom = std::max(0, size_.height - height);
    if (step.top > 0) {
      pad(step, width, height, steps);
    }
  }

  static int32_t offset(Draws& draws, int32_t length, int32_t wanted) {
    return length > wanted
               ? static_cast<int32_t>(draws.below(static_cast<uint32_t>(length - wanted + 1)))
               : 0;
  }

  Size2d size_;
  PadStep border_;
  bool pads_, pad_if_needed_;
};

}  // namespace

Transform transform_random_crop() {
  return {
      .id = "random_crop",
      .name = "RandomCrop",
      .help = "Cuts out a rectangle at a random place",
      .params = {size_param("height and width of the result"),
                 {.name = "padding",
                  .kind = ParamKind::Numbers,
                  .help = "a border before it: all sides, (x, y), or (left, top, right, bottom)"},
                 {.name = "pad_if_needed",
                  .kind = ParamKind::Flag,
                  .help = "give smaller images a border instead of failing",
                  .fallback = "false"},
                 fill_param(),
                 padding_mode_param()},
      .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
        return std::make_unique<RandomCrop>(params);
      }};
}

}  // namespace stoker::image
