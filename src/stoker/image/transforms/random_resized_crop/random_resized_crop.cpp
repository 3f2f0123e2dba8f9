// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stoker/core/error.h"
#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

constexpr int kTries = 10;

class RandomResizedCrop : public Operation {
 public:
  explicit RandomResizedCrop(const ParamMap& params)
      : size_(size_of(params)),
        scale_(range_of(params, "scale")),
        ratio_(range_of(params, "ratio")),
        log_ratio_(std::log(ratio_.first), std::log(ratio_.second)),
        filter_(filter_of(params)) {
    if (ratio_.first <= 0 || scale_.first < 0) {
      throw Error(ErrorCode::InvalidArgument, "scale or ratio is negative",
                  "torchvision's defaults are scale=(0.08, 1.0), ratio=(3/4, 4/3)");
    }
  }

  void plan(Draws& draws, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    steps.emplace_back(crop(draws, width, height));
    const auto& chosen = std::get<CropStep>(steps.back());
    if (chosen.width != size_.width || chosen.height != size_.height) {
      steps.emplace_back(ResizeStep{size_.height, size_.width, filter_});
    }
    width = size_.width;
    height = size_.height;
  }

 private:
  // torchvision's way: ten tries to find a rectangle of a random area and ratio that fits.
  CropStep crop(Draws& draws, int32_t width, int32_t height) const {
    const double area = static_cast<double>(width) * height;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const double target = area * draws.uniform(scale_.first, scale_.second);
      const double aspect = std::exp(draws.uniform(log_ratio_.first, log_ratio_.second));
      const int32_t w = round_half_even(std::sqrt(target * aspect));
      const int32_t h = round_half_even(std::sqrt(target / aspect));
      if (w > 0 && w <= width && h > 0 && h <= height) {
        const auto top = static_cast<int32_t>(draws.below(static_cast<uint32_t>(height - h + 1)));
        const auto left = static_cast<int32_t>(draws.below(static_cast<uint32_t>(width - w + 1)));
        return {.top = top, .left = left, .height = h, .width = w};
      }
    }
    return middle(width, height);
  }

  CropStep middle(int32_t width, int32_t height) const {
    const double ratio = static_cast<double>(width) / height;
    int32_t w = width;
    int32_t h = height;
    if (ratio < ratio_.first) {
      h = std::max(1, round_half_even(w / static_cast<double>(ratio_.first)));
    } else if (ratio > ratio_.second) {
      w = std::max(1, round_half_even(h * static_cast<double>(ratio_.second)));
    }
    return {.top = (height - h) / 2, .left = (width - w) / 2, .height = h, .width = w};
  }

  Size2d size_;
  std::pair<float, float> scale_, ratio_, log_ratio_;
  Filter filter_;
};

}  // namespace

Transform transform_random_resized_crop() {
  return {.id = "random_resized_crop",
          .name = "RandomResizedCrop",
          .help = "Cuts out a rectangle of random area and ratio and resizes it",
          .params = {size_param("height and width of the result"),
                     {.name = "scale",
                      .kind = ParamKind::Numbers,
                      .help = "least and greatest share of the area",
                      .fallback = "0.08,1.0",
                      .min = 0},
                     {.name = "ratio",
                      .kind = ParamKind::Numbers,
                      .help = "least and greatest width / height",
                      .fallback = "0.75,1.3333333333333333",
                      .min = 0},
                     interpolation_param("bilinear")},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<RandomResizedCrop>(params);
          }};
}

}  // namespace stoker::image
