// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/core/params.h"
#include "stoker/core/rng.h"
#include "stoker/image/step.h"

namespace stoker::image {

// Random numbers of one transform for one sample: a pure function of (seed, epoch, sample, position
// of the transform in the chain), so that neither threads nor ranks nor order can change them. The
// method is Philox4x32-10, see core/rng.h.
class Draws {
 public:
  Draws(uint64_t seed, uint32_t epoch, uint64_t sample, uint32_t operation) noexcept
      : stream_(seed, sample, epoch, operation << kDrawBits) {}

  // Uniform in [0, 1), 24 bits, as torch.rand's float32.
  float uniform() noexcept { return stream_.uniform(); }
  float uniform(float low, float high) noexcept { return stream_.uniform(low, high); }
  // Uniform in 0 .. count - 1; `count` is not 0.
  uint32_t below(uint32_t count) noexcept { return stream_.below(count); }
  uint64_t key() noexcept { return uint64_t{stream_.next()} << 32 | stream_.next(); }

  static constexpr int kDrawBits = 20;  // of blocks of four numbers
  static constexpr uint32_t kMaxOperations = 1U << (32 - kDrawBits);

 private:
  Philox stream_;
};

// One transform with its parameters. Thread-safe: it has no state that changes.
class Operation {
 public:
  virtual ~Operation() = default;
  // Appends what happens to an image of `width` x `height` to `steps`, and leaves the new size.
  virtual void plan(Draws& draws, int32_t& width, int32_t& height,
                    std::vector<Step>& steps) const = 0;
};

// What a transform works on.
enum class Stage : uint8_t {
  Image,     // bytes of an image
  ToTensor,  // makes numbers of the bytes
  Tensor,    // numbers
};

// A plug-in: one folder of image/transforms. Names and defaults are torchvision's.
struct Transform {
  std::string id;    // of its folder: "random_resized_crop"
  std::string name;  // in Python: "RandomResizedCrop"
  std::string help;
  ParamSchema params = {};
  Stage stage = Stage::Image;
  // Throws Error with a hint when the parameters make no sense together.
  std::unique_ptr<Operation> (*make)(const ParamMap& params) = nullptr;
  std::vector<const PixelOp*> ops = {};  // pixel operations that its steps may use
};

}  // namespace stoker::image
