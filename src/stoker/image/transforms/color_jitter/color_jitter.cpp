// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/image/ops/pixel_ops.h"
#include "stoker/image/transform.h"

namespace stoker::image {
namespace {

// In the order in which factors are drawn.
struct Kind {
  const char* name;
  const PixelOp* op;
  double center, least, most;
};

// Factors are float32, and none of them is infinite.
constexpr double kNoLimit = std::numeric_limits<float>::max();
constexpr std::array<Kind, 4> kKinds = {{{"brightness", &kAdjustBrightness, 1, 0, kNoLimit},
                                         {"contrast", &kAdjustContrast, 1, 0, kNoLimit},
                                         {"saturation", &kAdjustSaturation, 1, 0, kNoLimit},
                                         {"hue", &kAdjustHue, 0, -0.5, 0.5}}};

using Range = std::optional<std::pair<float, float>>;

// Nothing where every factor would leave the image as it is.
Range factors_of(const ParamMap& params, const Kind& kind) {
  const std::vector<double>& given = params.numbers(kind.name);
  if (given.empty() || given.size() > 2 || (given.size() == 1 && given[0] < 0)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} is neither a number of at least 0 nor a range", kind.name),
                fmt::format("give {0}=0.2 or {0}=(least, greatest)", kind.name));
  }
  double low = given.front();
  double high = given.back();
  if (given.size() == 1) {
    low = kind.center - given[0];
    high = kind.center + given[0];
    low = kind.center == 1 ? std::max(low, 0.0) : low;
  }
  if (low < kind.least || low > high || high > kind.most) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} asks for factors from {:g} to {:g}, possible are {:g} to {:g}",
                            kind.name, low, high, kind.least, kind.most));
  }
  if (low == kind.center && high == kind.center) {
    return std::nullopt;
  }
  return std::pair{static_cast<float>(low), static_cast<float>(high)};
}

class ColorJitter : public Operation {
 public:
  explicit ColorJitter(const ParamMap& params) {
    for (size_t i = 0; i < kKinds.size(); ++i) {
      ranges_[i] = factors_of(params, kKinds[i]);
    }
  }

  // The order is drawn first, then the factors in an order of their own, as torchvision does it.
  void plan(Draws& draws, int32_t& /*width*/, int32_t& /*height*/,
            std::vector<Step>& steps) const override {
    std::array<size_t, kKinds.size()> order = {0, 1, 2, 3};
    for (size_t left = order.size(); left > 1; --left) {
      std::swap(order[left - 1], order[draws.below(static_cast<uint32_t>(left))]);
    }
    std::array<float, kKinds.size()> factors{};
    for (size_t i = 0; i < factors.size(); ++i) {
      if (ranges_[i]) {
        const auto [low, high] = *ranges_[i];
        factors[i] = std::min(high, draws.uniform(low, high));
      }
    }
    for (const size_t i : order) {
      if (ranges_[i]) {
        steps.emplace_back(
            PixelStep{.op = kKinds[i].op, .arguments = {static_cast<double>(factors[i])}});
      }
    }
  }

 private:
  std::array<Range, kKinds.size()> ranges_;
};

Param factor_param(const Kind& kind, const std::string& around) {
  return {.name = kind.name,
          .kind = ParamKind::Numbers,
          .help = "how far the factor may be from " + around + ", or its least and greatest value",
          .fallback = "0"};
}

}  // namespace

Transform transform_color_jitter() {
  return {.id = "color_jitter",
          .name = "ColorJitter",
          .help = "Changes brightness, contrast, saturation and hue in a random order",
          .params = {factor_param(kKinds[0], "1"), factor_param(kKinds[1], "1"),
                     factor_param(kKinds[2], "1"), factor_param(kKinds[3], "0")},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<ColorJitter>(params);
          },
          .ops = {&kAdjustBrightness, &kAdjustContrast, &kAdjustSaturation, &kAdjustHue}};
}

}  // namespace stoker::image
