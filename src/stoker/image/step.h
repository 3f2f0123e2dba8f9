// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "stoker/core/buffer.h"
#include "stoker/core/image_view.h"
#include "stoker/image/resample.h"

namespace stoker::image {

// Steps are what transforms become for one image once their draws are made: explicit parameters,
// no randomness. Offsets and sizes in pixels. None of them owns memory, so that a list of steps can
// be reused for sample after sample.

// Inside the image it meets; what lies outside was padded before.
struct CropStep {
  int32_t top = 0, left = 0, height = 0, width = 0;
};

struct ResizeStep {
  int32_t height = 0, width = 0;
  Filter filter = Filter::Bilinear;
};

struct FlipStep {
  bool horizontal = true;  // false: top and bottom change places
};

enum class PadMode : uint8_t { Constant, Edge, Reflect, Symmetric };

struct PadStep {
  int32_t left = 0, top = 0, right = 0, bottom = 0;
  PadMode mode = PadMode::Constant;
  std::array<uint8_t, 3> fill{};
};

// Memory of one thread, for pixel operations that cannot work in place.
struct PixelScratch {
  Buffer pixels;
  ResampleScratch resample;
};

// An operation on RGBX pixels that keeps their size. The bytes are those of Pillow's or
// torchvision's function of that name on an RGB image; X is not kept.
struct PixelOp {
  const char* name = nullptr;                   // torchvision's functional name: "adjust_hue"
  std::span<const char* const> arguments = {};  // their names, in order
  void (*apply)(const ImageView& rgbx, std::span<const double> arguments,
                PixelScratch& scratch) = nullptr;
};

inline constexpr size_t kMaxPixelArguments = 9;

struct PixelStep {
  const PixelOp* op = nullptr;
  std::array<double, kMaxPixelArguments> arguments{};
};

// From here on values are numbers in the output's type. ToTensor divides by 255 in float32.
struct ToTensorStep {
  bool scale = true;  // false: 0 .. 255 stay
};

struct NormalizeStep {
  std::array<float, 3> mean{}, std{1, 1, 1};
};

// After ToTensor: sets a rectangle of the tensor to `value`, or to standard normal noise that is a
// pure function of `noise_key`.
struct EraseStep {
  int32_t top = 0, left = 0, height = 0, width = 0;
  std::array<float, 3> value{};
  bool noise = false;
  uint64_t noise_key = 0;
};

using Step = std::variant<CropStep, ResizeStep, FlipStep, PadStep, PixelStep, ToTensorStep,
                          NormalizeStep, EraseStep>;

}  // namespace stoker::image
