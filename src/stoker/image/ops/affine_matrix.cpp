// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/affine_matrix.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

namespace stoker::image {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;
constexpr double kDegreesPerRadian = 180.0 / std::numbers::pi;

// torchvision takes the angle of a shear in degrees: there and back rounds.
double shear_angle(double slope) {
  return std::atan(slope) * kDegreesPerRadian * kRadiansPerDegree;
}

// Python's round(value, 15), which is by way of decimal digits.
double rounded_to_15_digits(double value) {
  std::array<char, 32> text{};
  const auto written = fmt::format_to_n(text.data(), text.size(), "{:.15f}", value);
  double result = value;
  const auto [end, error] = std::from_chars(text.data(), written.out, result);
  return error == std::errc{} ? result : value;
}

}  // namespace

AffineMatrix shear_x_matrix(double slope) {
  return {1.0, std::tan(shear_angle(slope)), 0.0, 0.0, 1.0, 0.0};
}

AffineMatrix shear_y_matrix(double slope) {
  const double angle = shear_angle(slope);
  const double along = std::cos(-angle) / std::cos(angle);
  const double across = std::sin(-angle) / std::cos(angle);
  return {1.0, 0.0, 0.0, -across, along, 0.0};
}

AffineMatrix translate_matrix(int32_t right, int32_t down, int32_t width, int32_t height) {
  const double x = width * 0.5;
  const double y = height * 0.5;
  return {1.0, 0.0, (-x - right) + x, 0.0, 1.0, (-y - down) + y};
}

AffineMatrix rotate_matrix(double degrees, int32_t width, int32_t height) {
  double turned = std::fmod(degrees, 360.0);
  turned = turned < 0 ? turned + 360.0 : turned;
  const double angle = -(turned * kRadiansPerDegree);
  const double cosine = rounded_to_15_digits(std::cos(angle));
  const double sine = rounded_to_15_digits(std::sin(angle));
  const double negative = rounded_to_15_digits(-std::sin(angle));
  const double x = width / 2.0;
  const double y = height / 2.0;
  return {cosine,   sine,   cosine * -x + sine * -y + x,
          negative, cosine, negative * -x + cosine * -y + y};
}

}  // namespace stoker::image
