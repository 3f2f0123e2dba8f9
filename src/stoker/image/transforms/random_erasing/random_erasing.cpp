// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "stoker/core/error.h"
#include "stoker/image/transform.h"
#include "stoker/image/transform_params.h"

namespace stoker::image {
namespace {

constexpr int kTries = 10;

class RandomErasing : public Operation {
 public:
  explicit RandomErasing(const ParamMap& params)
      : probability_(static_cast<float>(params.number("p"))),
        scale_(range_of(params, "scale")),
        ratio_(range_of(params, "ratio")),
        log_ratio_(std::log(ratio_.first), std::log(ratio_.second)) {
    if (scale_.second > 1 || ratio_.first <= 0) {
      throw Error(ErrorCode::InvalidArgument, "scale goes beyond 1, or ratio is not positive");
    }
    const std::string& value = params.text("value");
    step_.noise = value == "random";
    if (!step_.noise) {
      step_.value = constant(value);
    }
  }

  void plan(Draws& draws, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    if (draws.uniform() >= probability_) {
      return;
    }
    const double area = static_cast<double>(width) * height;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const double target = area * draws.uniform(scale_.first, scale_.second);
      const double aspect = std::exp(draws.uniform(log_ratio_.first, log_ratio_.second));
      EraseStep step = step_;
      // The other way round than RandomResizedCrop: the height is multiplied.
      step.height = round_half_even(std::sqrt(target * aspect));
      step.width = round_half_even(std::sqrt(target / aspect));
      if (step.height < height && step.width < width) {
        step.noise_key = step.noise ? draws.key() : 0;
        step.top =
            static_cast<int32_t>(draws.below(static_cast<uint32_t>(height - step.height + 1)));
        step.left =
            static_cast<int32_t>(draws.below(static_cast<uint32_t>(width - step.width + 1)));
        steps.emplace_back(step);
        return;
      }
    }
  }

 private:
  static std::array<float, 3> constant(const std::string& text) {
    const Result<ParamValue> numbers =
        parse_param({.name = "value", .kind = ParamKind::Numbers, .help = ""}, text);
    if (!numbers.ok()) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("value is '{}', expected a number, three numbers, or random", text));
    }
    ParamMap map;
    map.set("value", *numbers);
    return per_channel(map, "value");
  }

  float probability_;
  std::pair<float, float> scale_, ratio_, log_ratio_;
  EraseStep step_;
};

}  // namespace

Transform transform_random_erasing() {
  return {.id = "random_erasing",
          .name = "RandomErasing",
          .help = "Overwrites a rectangle of the tensor with probability p",
          .params = {probability_param("0.5"),
                     {.name = "scale",
                      .kind = ParamKind::Numbers,
                      .help = "least and greatest share of the area",
                      .fallback = "0.02,0.33",
                      .min = 0},
                     {.name = "ratio",
                      .kind = ParamKind::Numbers,
                      .help = "least and greatest height / width",
                      .fallback = "0.3,3.3",
                      .min = 0},
                     {.name = "value",
                      .kind = ParamKind::Text,
                      .help = "a number, three numbers, or random for normal noise",
                      .fallback = "0"}},
          .stage = Stage::Tensor,
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<RandomErasing>(params);
          }};
}

}  // namespace stoker::image
