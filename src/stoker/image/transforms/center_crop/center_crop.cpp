// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

class CenterCrop : public Operation {
 public:
  explicit CenterCrop(const ParamMap& params) : size_(size_of(params)) {}

  // A smaller image is padded with black first, more so at the right and at the bottom.
  void plan(Draws& /*draws*/, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    const int32_t missing_x = std::max(0, size_.width - width);
    const int32_t missing_y = std::max(0, size_.height - height);
    if (missing_x > 0 || missing_y > 0) {
      steps.emplace_back(PadStep{.left = missing_x / 2,
                                 .top = missing_y / 2,
                                 .right = (missing_x + 1) / 2,
                                 .bottom = (missing_y + 1) / 2});
      width += missing_x;
      height += missing_y;
    }
    steps.emplace_back(CropStep{.top = round_half_even((height - size_.height) / 2.0),
                                .left = round_half_even((width - size_.width) / 2.0),
                                .height = size_.height,
                                .width = size_.width});
    width = size_.width;
    height = size_.height;
  }

 private:
  Size2d size_;
};

}  // namespace

Transform transform_center_crop() {
  return {.id = "center_crop",
          .name = "CenterCrop",
          .help = "Cuts out the middle",
          .params = {size_param("height and width of the result")},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<CenterCrop>(params);
          }};
}

}  // namespace stoker::image
