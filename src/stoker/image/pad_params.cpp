// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pad_params.h"

#include <fmt/format.h>

#include <cmath>

#include "stoker/core/error.h"

namespace stoker::image {
namespace {

constexpr int32_t kMostPadding = 16384;

int32_t border(double value) {
  if (value < 0 || value > kMostPadding || value != std::floor(value)) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("padding has {:g}, expected whole numbers from 0 to {}", value, kMostPadding),
        "to make images smaller use CenterCrop or RandomCrop");
  }
  return static_cast<int32_t>(value);
}

uint8_t byte(double value) {
  if (value < 0 || value > 255 || value != std::floor(value)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("fill has {:g}, expected whole numbers from 0 to 255", value));
  }
  return static_cast<uint8_t>(value);
}

PadMode mode_of(const std::string& name) {
  if (name == "edge") {
    return PadMode::Edge;
  }
  if (name == "reflect") {
    return PadMode::Reflect;
  }
  return name == "symmetric" ? PadMode::Symmetric : PadMode::Constant;
}

}  // namespace

Param fill_param() {
  return {.name = "fill",
          .kind = ParamKind::Numbers,
          .help = "colour of a constant border: one number, or red, green and blue",
          .fallback = "0"};
}

Param padding_mode_param() {
  return {.name = "padding_mode",
          .kind = ParamKind::Text,
          .help = "what the border shows",
          .fallback = "constant",
          .choices = {"constant", "edge", "reflect", "symmetric"}};
}

PadStep pad_step_of(const ParamMap& params) {
  PadStep step{.mode = mode_of(params.text("padding_mode"))};
  const std::vector<double> padding =
      params.has("padding") ? params.numbers("padding") : std::vector<double>{0};
  if (padding.empty() || padding.size() == 3 || padding.size() > 4) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("padding has {} numbers, expected 1, 2 or 4", padding.size()),
                "4 are (left, top, right, bottom)");
  }
  const size_t last = padding.size() - 1;
  step.left = border(padding[0]);
  step.top = border(padding[last > 0 ? 1 : 0]);
  step.right = border(padding[last == 3 ? 2 : 0]);
  step.bottom = border(padding[last]);
  const std::vector<double>& fill = params.numbers("fill");
  if (fill.size() != 1 && fill.size() != 3) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("fill has {} numbers, expected 1 or 3", fill.size()));
  }
  for (size_t channel = 0; channel < 3; ++channel) {
    step.fill[channel] = byte(fill[fill.size() == 1 ? 0 : channel]);
  }
  return step;
}

}  // namespace stoker::image
