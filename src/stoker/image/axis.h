// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/image/resample.h"

namespace stoker::image {

// Source pixels first .. first + count - 1.
struct Span {
  int32_t first = 0;
  int32_t count = 0;
};

// One direction of a resize: `in` pixels become `out`, of which `begin` .. `end` - 1 are wanted.
struct Axis {
  int32_t in = 0, out = 0;
  int32_t begin = 0, end = 0;

  bool changes() const { return in != out; }
  int32_t wanted() const { return end - begin; }
};

// What the wanted pixels depend on.
Span source_span(const Axis& axis, Filter filter);

// Source pixel of each wanted output pixel for Filter::Nearest; -1: none, the pixel is 0.
void nearest_sources(const Axis& axis, std::vector<int32_t>& sources);

// Filter weights are fixed-point with 22 bits after the point, as in Pillow.
inline constexpr int kWeightBits = 22;
// A weight w is split into w = high * 2^11 + low, low in 0..2047, so that 16-bit products do.
inline constexpr int kLowBits = 11;
// Every output pixel gets a whole number of groups of this many taps; the surplus weighs 0.
inline constexpr int32_t kTapsInGroup = 4;

// The taps of each wanted pixel: `groups` * kTapsInGroup weights at weights[i * taps()], for the
// source pixels from firsts[i] on. Vectors belong to the scratch.
struct Taps {
  int32_t groups = 0;
  const std::vector<int32_t>* firsts = nullptr;
  const std::vector<int32_t>* weights = nullptr;

  int32_t taps() const { return groups * kTapsInGroup; }
};

// Firsts are moved left where the padded taps would leave `available`, which must hold
// source_span(); they are relative to available.first. Where `available` is narrower than the
// taps, those beyond it weigh 0.
Taps make_taps(const Axis& axis, Filter filter, const Span& available,
               std::vector<double>& exact_weights, std::vector<int32_t>& firsts,
               std::vector<int32_t>& weights);

// Splits weights in place, pair by pair: (w0, w1) becomes (high0 | high1 << 16, low0 | low1 << 16).
void split_weights(std::vector<int32_t>& weights);

}  // namespace stoker::image
