// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/axis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stoker::image {
namespace {

double sinc(double x) {
  if (x == 0.0) {
    return 1.0;
  }
  const double angle = x * std::numbers::pi;
  return std::sin(angle) / angle;
}

double bicubic(double x) {
  constexpr double a = -0.5;
  const double d = std::abs(x);
  if (d < 1.0) {
    return ((a + 2.0) * d - (a + 3.0)) * d * d + 1;
  }
  return d < 2.0 ? (((d - 5) * d + 8) * d - 4) * a : 0.0;
}

// Pillow computes the cosine window with single-precision constants.
double hamming(double x) {
  const double d = std::abs(x);
  if (d == 0.0) {
    return 1.0;
  }
  if (d >= 1.0) {
    return 0.0;
  }
  const double angle = d * std::numbers::pi;
  return std::sin(angle) / angle *
         (static_cast<double>(0.54F) + static_cast<double>(0.46F) * std::cos(angle));
}

double weight(Filter filter, double x) {
  switch (filter) {
    case Filter::Lanczos:
      return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
    case Filter::Bilinear:
      return std::abs(x) < 1.0 ? 1.0 - std::abs(x) : 0.0;
    case Filter::Bicubic:
      return bicubic(x);
    case Filter::Hamming:
      return hamming(x);
    case Filter::Box:
    case Filter::Nearest:
      break;
  }
  return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

double half_width(Filter filter) {
  switch (filter) {
    case Filter::Lanczos:
      return 3.0;
    case Filter::Bicubic:
      return 2.0;
    case Filter::Bilinear:
    case Filter::Hamming:
      return 1.0;
    case Filter::Box:
    case Filter::Nearest:
      break;
  }
  return 0.5;
}

// Halves go up and fractions below zero to zero, as in Pillow.
int32_t rounded(double x) {
  return static_cast<int32_t>(x + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

struct Geometry {
  Geometry(const Axis& axis, Filter filter)
      : in(axis.in),
        scale(static_cast<double>(axis.in) / axis.out),
        filter_scale(std::max(scale, 1.0)),
        support(half_width(filter) * filter_scale) {}

  double center(int32_t x) const { return (x + 0.5) * scale; }

  Span span(int32_t x) const {
    const double c = center(x);
    const int32_t first = std::max(0, rounded(c - support));
    const int32_t last = std::min(in, rounded(c + support));
    return {first, last - first};
  }

  int32_t in;
  double scale, filter_scale, support;
};

int32_t to_fixed(double w) {
  const double scaled = w * (1 << kWeightBits);
  return static_cast<int32_t>(w < 0 ? scaled - 0.5 : scaled + 0.5);
}

Span nearest_span(const Axis& axis) {
  const double step = static_cast<double>(axis.in) / axis.out;
  double at = step * 0.5;
  int32_t first = axis.in;
  int32_t last = -1;
  // Pillow adds step by step, so the rounding errors are those of a sum.
  for (int32_t x = 0; x < axis.end; ++x, at += step) {
    const auto source = static_cast<int32_t>(at);
    if (x >= axis.begin && source < axis.in) {
      first = std::min(first, source);
      last = source;
    }
  }
  return last < 0 ? Span{0, 1} : Span{first, last - first + 1};
}

}  // namespace

Span source_span(const Axis& axis, Filter filter) {
  if (!axis.changes()) {
    return {axis.begin, axis.wanted()};
  }
  if (filter == Filter::Nearest) {
    return nearest_span(axis);
  }
  const Geometry geometry(axis, filter);
  const Span first = geometry.span(axis.begin);
  const Span last = geometry.span(axis.end - 1);
  return {first.first, last.first + last.count - first.first};
}

void nearest_sources(const Axis& axis, std::vector<int32_t>& sources) {
  sources.resize(static_cast<size_t>(axis.wanted()));
  const double step = static_cast<double>(axis.in) / axis.out;
  double at = step * 0.5;
  for (int32_t x = 0; x < axis.end; ++x, at += step) {
    if (x >= axis.begin) {
      const auto source = static_cast<int32_t>(at);
      sources[static_cast<size_t>(x - axis.begin)] = source < axis.in ? source : -1;
    }
  }
}

Taps make_taps(const Axis& axis, Filter filter, const Span& available,
               std::vector<double>& exact_weights, std::vector<int32_t>& firsts,
               std::vector<int32_t>& weights) {
  const Geometry geometry(axis, filter);
  const auto wanted = static_cast<size_t>(axis.wanted());
  firsts.resize(wanted);
  int32_t most = 1;
  for (int32_t x = axis.begin; x < axis.end; ++x) {
    most = std::max(most, geometry.span(x).count);
  }
  Taps taps;
  taps.groups = (most + kTapsInGroup - 1) / kTapsInGroup;
  taps.firsts = &firsts;
  taps.weights = &weights;
  weights.assign(wanted * static_cast<size_t>(taps.taps()), 0);
  exact_weights.resize(static_cast<size_t>(most));
  const double inverse = 1.0 / geometry.filter_scale;
  for (size_t i = 0; i < wanted; ++i) {
    const int32_t x = axis.begin + static_cast<int32_t>(i);
    const Span span = geometry.span(x);
    const double center = geometry.center(x);
    double sum = 0.0;
    for (int32_t k = 0; k < span.count; ++k) {
      const double w = weight(filter, (k + span.first - center + 0.5) * inverse);
      exact_weights[static_cast<size_t>(k)] = w;
      sum += w;
    }
    const int32_t at = span.first - available.first;
    const int32_t first = std::max(0, std::min(at, available.count - taps.taps()));
    firsts[i] = first;
    int32_t* out = weights.data() + i * static_cast<size_t>(taps.taps()) + (at - first);
    for (int32_t k = 0; k < span.count; ++k) {
      const double w = exact_weights[static_cast<size_t>(k)];
      out[k] = to_fixed(sum != 0.0 ? w / sum : w);
    }
  }
  return taps;
}

void split_weights(std::vector<int32_t>& weights) {
  constexpr int32_t low_mask = (1 << kLowBits) - 1;
  const auto pair = [](int32_t a, int32_t b) {
    return static_cast<int32_t>((static_cast<uint32_t>(a) & 0xFFFFU) |
                                (static_cast<uint32_t>(b) << 16U));
  };
  for (size_t i = 0; i + 1 < weights.size(); i += 2) {
    const int32_t w0 = weights[i];
    const int32_t w1 = weights[i + 1];
    weights[i] = pair(w0 >> kLowBits, w1 >> kLowBits);
    weights[i + 1] = pair(w0 & low_mask, w1 & low_mask);
  }
}

}  // namespace stoker::image
