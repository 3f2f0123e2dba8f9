// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stoker/core/image_view.h"
#include "stoker/image/step.h"

namespace stoker::pipeline {

enum class Dtype : uint8_t { Uint8, Float32, Float16, Bfloat16 };
enum class Layout : uint8_t {
  Nchw,  // three planes
  Nhwc,  // red, green, blue of each pixel together: torch's channels_last memory
};

size_t dtype_bytes(Dtype dtype);
// Throw Error (InvalidArgument) that lists what there is.
Dtype dtype_of(std::string_view name);
Layout layout_of(std::string_view name);

// Writes a finished RGBX image into its place in a batch, as numbers: for each channel a table of
// 256 values holds what ToTensor and Normalize make of a byte, computed in float32 as torchvision
// does and then rounded to the type, half to even. Thread-safe.
class OutputWriter {
 public:
  // `value_steps`: ToTensor and Normalize steps, in order.
  OutputWriter(Dtype dtype, Layout layout, std::span<const image::Step> value_steps);

  Dtype dtype() const { return dtype_; }
  Layout layout() const { return layout_; }
  size_t sample_bytes(int32_t width, int32_t height) const;

  // `steps`: all steps of the sample; of these it does the erasing. `out`: sample_bytes() bytes.
  void write(const ImageView& rgbx, std::span<const image::Step> steps, void* out) const;

 private:
  template <class Value>
  void write_as(const ImageView& rgbx, std::span<const image::Step> steps, Value* out) const;

  Dtype dtype_;
  Layout layout_;
  std::array<std::array<uint8_t, 256>, 3> bytes_{};
  std::array<std::array<uint16_t, 256>, 3> halves_{};
  std::array<std::array<float, 256>, 3> floats_{};
};

}  // namespace stoker::pipeline
