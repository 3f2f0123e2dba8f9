// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stoker/core/error.h"
#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

int32_t scaled(int32_t size, int32_t other, int32_t by) {
  return static_cast<int32_t>(static_cast<double>(size) * other / by);
}

class Resize : public Operation {
 public:
  explicit Resize(const ParamMap& params)
      : size_(size_of(params)),
        short_side_(params.numbers("size").size() == 1),
        max_size_(params.has("max_size") ? static_cast<int32_t>(params.integer("max_size")) : 0),
        filter_(filter_of(params)) {
    if (max_size_ != 0 && (!short_side_ || max_size_ <= size_.width)) {
      throw Error(ErrorCode::InvalidArgument,
                  "max_size needs a size of one number, which it must be greater than");
    }
  }

  void plan(Draws& /*draws*/, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    const Size2d to = short_side_ ? by_short_side(width, height) : size_;
    if (to.width != width || to.height != height) {
      steps.emplace_back(ResizeStep{to.height, to.width, filter_});
    }
    width = to.width;
    height = to.height;
  }

 private:
  // The long side is rounded down.
  Size2d by_short_side(int32_t width, int32_t height) const {
    const int32_t shorter = std::min(width, height);
    const int32_t longer = std::max(width, height);
    int32_t new_short = size_.width;
    int32_t new_long = scaled(new_short, longer, shorter);
    if (max_size_ != 0 && new_long > max_size_) {
      new_short = scaled(max_size_, new_short, new_long);
      new_long = max_size_;
    }
    return width <= height ? Size2d{new_long, new_short} : Size2d{new_short, new_long};
  }

  Size2d size_;
  bool short_side_;
  int32_t max_size_;
  Filter filter_;
};

}  // namespace

Transform transform_resize() {
  return {.id = "resize",
          .name = "Resize",
          .help = "Resizes to a short side of `size`, or to (height, width)",
          .params = {size_param("length of the short side, or height and width"),
                     interpolation_param("bilinear"),
                     {.name = "max_size",
                      .kind = ParamKind::Int,
                      .help = "the most pixels that the long side may get",
                      .min = 1}},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<Resize>(params);
          }};
}

}  // namespace stoker::image
