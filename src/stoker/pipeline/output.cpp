// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stoker/core/error.h"
#include "stoker/core/rng.h"
#include "stoker/image/pixels.h"
#include "stoker/pipeline/half.h"

namespace stoker::pipeline {
namespace {

using image::EraseStep;
using image::NormalizeStep;
using image::Step;
using image::ToTensorStep;

// What the value steps from `first` on make of a number. Division and subtraction one by one, in
// float32: a * x + b would round otherwise.
float apply_values(std::span<const Step> steps, size_t channel, float value, bool scaled) {
  for (const Step& step : steps) {
    if (const auto* to_tensor = std::get_if<ToTensorStep>(&step)) {
      if (to_tensor->scale && !scaled) {
        value /= 255.0F;
        scaled = true;
      }
    } else if (const auto* normalize = std::get_if<NormalizeStep>(&step)) {
      value = (value - normalize->mean[channel]) / normalize->std[channel];
    }
  }
  return value;
}

template <class Value>
Value rounded(Dtype dtype, float value) {
  if constexpr (sizeof(Value) == 1) {
    return static_cast<Value>(value);
  } else if constexpr (sizeof(Value) == 2) {
    return dtype == Dtype::Float16 ? to_float16(value) : to_bfloat16(value);
  } else {
    return value;
  }
}

// Standard normal numbers by Box and Muller's method; a pure function of the key.
class Noise {
 public:
  explicit Noise(uint64_t key) : stream_(key, 0) {}
  float next() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const double radius = std::sqrt(-2 * std::log(1.0 - static_cast<double>(stream_.uniform())));
    const double angle = 2 * std::numbers::pi * static_cast<double>(stream_.uniform());
    second_ = static_cast<float>(radius * std::sin(angle));
    has_second_ = true;
    return static_cast<float>(radius * std::cos(angle));
  }

 private:
  Philox stream_;
  float second_ = 0;
  bool has_second_ = false;
};

// Where the values of a sample lie: value of (channel, y, x) at channel * plane + (y * width + x) *
// step.
struct Places {
  size_t plane, step, width;
};

Places places_of(Layout layout, int32_t width, int32_t height) {
  const auto w = static_cast<size_t>(width);
  return layout == Layout::Nchw ? Places{w * static_cast<size_t>(height), 1, w} : Places{1, 3, w};
}

template <class Value>
void erase(const EraseStep& step, std::span<const Step> later, Dtype dtype, const Places& places,
           Value* out) {
  Noise noise(step.noise_key);
  for (size_t channel = 0; channel < 3; ++channel) {
    const auto constant =
        rounded<Value>(dtype, apply_values(later, channel, step.value[channel], true));
    for (int32_t y = step.top; y < step.top + step.height; ++y) {
      Value* row =
          out + channel * places.plane +
          (static_cast<size_t>(y) * places.width + static_cast<size_t>(step.left)) * places.step;
      for (int32_t x = 0; x < step.width; ++x, row += places.step) {
        *row = step.noise ? rounded<Value>(dtype, apply_values(later, channel, noise.next(), true))
                          : constant;
      }
    }
  }
}

// Values on their way into a batch: gathered in the cache and then written past it, since a batch
// is larger than the caches and read much later. Half the traffic of plain stores, which fetch what
// they are about to overwrite.
template <class Value>
class Streamed {
 public:
  explicit Streamed(Value* out) : out_(out) {}

  // Room for `count` values; flushes when there is not enough.
  Value* room(size_t count) {
    if (filled_ + count > values_.size()) {
      flush();
    }
    return values_.data() + filled_;
  }
  void add(size_t count) { filled_ += count; }
  void end() {
    flush();
    image::stream_end();
  }

 private:
  void flush() {
    image::stream(values_.data(), filled_ * sizeof(Value), out_);
    out_ += filled_;
    filled_ = 0;
  }

  alignas(64) std::array<Value, 4096 / sizeof(Value)> values_;
  size_t filled_ = 0;
  Value* out_;
};

constexpr size_t kChunk = 64;  // pixels at a time

template <class Value>
void look_up_packed(const ImageView& rgbx, const std::array<std::array<Value, 256>, 3>& tables,
                    Value* out) {
  Streamed<Value> streamed(out);
  const auto width = static_cast<size_t>(rgbx.width);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* in = rgbx.row(y);
    for (size_t x = 0; x < width;) {
      const size_t end = std::min(width, x + kChunk);
      Value* to = streamed.room(3 * (end - x));
      streamed.add(3 * (end - x));
      for (; x < end; ++x, to += 3) {
        to[0] = tables[0][in[4 * x]];
        to[1] = tables[1][in[4 * x + 1]];
        to[2] = tables[2][in[4 * x + 2]];
      }
    }
  }
  streamed.end();
}

// Every fourth byte of `in`. What is written is nothing that is read: without that promise each
// store would have to end before the next load.
template <class Value>
void look_up_row(const uint8_t* __restrict in, size_t pixels, const Value* __restrict table,
                 Value* __restrict out) {
  size_t x = 0;
  for (; x + 8 <= pixels; x += 8) {
    Value values[8];
    for (size_t i = 0; i < 8; ++i) {
      values[i] = table[in[4 * (x + i)]];
    }
    std::copy_n(values, 8, out + x);
  }
  for (; x < pixels; ++x) {
    out[x] = table[in[4 * x]];
  }
}

// One whole plane after the other: the image is in the cache, and memory likes one stream of
// stores.
template <class Value>
void look_up_planes(const ImageView& rgbx, const std::array<std::array<Value, 256>, 3>& tables,
                    Value* out) {
  Streamed<Value> streamed(out);
  const auto width = static_cast<size_t>(rgbx.width);
  for (size_t channel = 0; channel < 3; ++channel) {
    const Value* table = tables[channel].data();
    for (int32_t y = 0; y < rgbx.height; ++y) {
      const uint8_t* in = rgbx.row(y) + channel;
      for (size_t x = 0; x < width;) {
        const size_t end = std::min(width, x + kChunk);
        Value* to = streamed.room(end - x);
        streamed.add(end - x);
        look_up_row(in + 4 * x, end - x, table, to);
        x = end;
      }
    }
  }
  streamed.end();
}

template <class Value>
void look_up(const ImageView& rgbx, Layout layout,
             const std::array<std::array<Value, 256>, 3>& tables, Value* out) {
  if (layout == Layout::Nhwc) {
    look_up_packed(rgbx, tables, out);
  } else {
    look_up_planes(rgbx, tables, out);
  }
}

}  // namespace

size_t dtype_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::Uint8:
      return 1;
    case Dtype::Float32:
      return 4;
    case Dtype::Float16:
    case Dtype::Bfloat16:
      break;
  }
  return 2;
}

Dtype dtype_of(std::string_view name) {
  if (name == "uint8") {
    return Dtype::Uint8;
  }
  if (name == "float32") {
    return Dtype::Float32;
  }
  if (name == "float16") {
    return Dtype::Float16;
  }
  if (name == "bfloat16") {
    return Dtype::Bfloat16;
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("dtype is '{}'", name),
              "it can be float32, float16, bfloat16 or uint8");
}

Layout layout_of(std::string_view name) {
  if (name == "nchw") {
    return Layout::Nchw;
  }
  if (name == "nhwc") {
    return Layout::Nhwc;
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("layout is '{}'", name),
              "it can be nchw, or nhwc for channels_last memory");
}

OutputWriter::OutputWriter(Dtype dtype, Layout layout, std::span<const Step> value_steps)
    : dtype_(dtype), layout_(layout) {
  for (size_t channel = 0; channel < 3; ++channel) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const float value = apply_values(value_steps, channel, static_cast<float>(byte), false);
      bytes_[channel][byte] = static_cast<uint8_t>(byte);
      floats_[channel][byte] = value;
      halves_[channel][byte] = rounded<uint16_t>(dtype, value);
    }
  }
}

size_t OutputWriter::sample_bytes(int32_t width, int32_t height) const {
  return 3 * static_cast<size_t>(width) * static_cast<size_t>(height) * dtype_bytes(dtype_);
}

template <class Value>
void OutputWriter::write_as(const ImageView& rgbx, std::span<const Step> steps, Value* out) const {
  if constexpr (sizeof(Value) == 1) {
    look_up(rgbx, layout_, bytes_, out);
  } else if constexpr (sizeof(Value) == 2) {
    look_up(rgbx, layout_, halves_, out);
  } else {
    look_up(rgbx, layout_, floats_, out);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (const auto* step = std::get_if<EraseStep>(&steps[i])) {
      erase(*step, steps.subspan(i + 1), dtype_, places_of(layout_, rgbx.width, rgbx.height), out);
    }
  }
}

void OutputWriter::write(const ImageView& rgbx, std::span<const Step> steps, void* out) const {
  switch (dtype_) {
    case Dtype::Uint8:
      write_as(rgbx, steps, static_cast<uint8_t*>(out));
      return;
    case Dtype::Float32:
      write_as(rgbx, steps, static_cast<float*>(out));
      return;
    case Dtype::Float16:
    case Dtype::Bfloat16:
      write_as(rgbx, steps, static_cast<uint16_t*>(out));
      return;
  }
}

}  // namespace stoker::pipeline
