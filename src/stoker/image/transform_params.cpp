// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/transform_params.h"

#include <fmt/format.h>

#include <cmath>

#include "stoker/core/error.h"

namespace stoker::image {
namespace {

struct FilterName {
  const char* name;
  Filter filter;
};

// Pillow knows one kind of nearest; torchvision maps both names to it.
constexpr FilterName kFilters[] = {
    {"nearest", Filter::Nearest},   {"nearest-exact", Filter::Nearest},
    {"bilinear", Filter::Bilinear}, {"bicubic", Filter::Bicubic},
    {"box", Filter::Box},           {"hamming", Filter::Hamming},
    {"lanczos", Filter::Lanczos},
};

constexpr double kMostPixels = 1 << 29;  // sums of two sizes stay in range

int32_t positive(const std::string& name, double value) {
  if (value < 1 || value > kMostPixels || value != std::floor(value)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} has {:g}, expected whole numbers of at least 1", name, value));
  }
  return static_cast<int32_t>(value);
}

}  // namespace

Param interpolation_param(const std::string& fallback) {
  Param param{.name = "interpolation",
              .kind = ParamKind::Text,
              .help = "how pixels are resampled, as Pillow does it",
              .fallback = fallback};
  for (const FilterName& entry : kFilters) {
    param.choices.emplace_back(entry.name);
  }
  return param;
}

Filter filter_of(const ParamMap& params) {
  for (const FilterName& entry : kFilters) {
    if (params.text("interpolation") == entry.name) {
      return entry.filter;
    }
  }
  throw Error(ErrorCode::Internal, "an interpolation that is not in its choices");
}

Param size_param(const std::string& help) {
  return {.name = "size", .kind = ParamKind::Numbers, .help = help, .required = true};
}

Size2d size_of(const ParamMap& params) {
  const std::vector<double>& size = params.numbers("size");
  if (size.empty() || size.size() > 2) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("size has {} numbers, expected one or (height, width)", size.size()),
                "give size=224 or size=(224, 160)");
  }
  return {positive("size", size[0]), positive("size", size.back())};
}

Param probability_param(const std::string& fallback) {
  return {.name = "p",
          .kind = ParamKind::Float,
          .help = "probability that it is applied",
          .fallback = fallback,
          .min = 0,
          .max = 1};
}

std::pair<float, float> range_of(const ParamMap& params, const std::string& name) {
  const std::vector<double>& range = params.numbers(name);
  if (range.size() != 2 || range[0] > range[1]) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} is no range: expected two numbers, the smaller one first", name));
  }
  return {static_cast<float>(range[0]), static_cast<float>(range[1])};
}

std::array<float, 3> per_channel(const ParamMap& params, const std::string& name) {
  const std::vector<double>& values = params.numbers(name);
  if (values.size() != 1 && values.size() != 3) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} has {} numbers, expected 3: images are RGB", name, values.size()));
  }
  std::array<float, 3> result{};
  for (size_t channel = 0; channel < 3; ++channel) {
    result[channel] = static_cast<float>(values[values.size() == 1 ? 0 : channel]);
  }
  return result;
}

int32_t round_half_even(double value) {
  return static_cast<int32_t>(std::nearbyint(value));
}

}  // namespace stoker::image
