// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stoker/image/transform.h"

namespace stoker::pipeline {

// A transform by its name ("RandomResizedCrop") with parameters as text.
struct TransformSpec {
  std::string name;
  std::map<std::string, std::string> params;
};

// Transforms one after the other, as torchvision's Compose. Thread-safe: nothing changes after
// construction.
class Chain {
 public:
  // Throws Error with a hint: an unknown transform or parameter, values that make no sense, an
  // order in which a transform of images comes after ToTensor, or samples of different sizes.
  explicit Chain(const std::vector<TransformSpec>& specs);

  // What happens to sample `sample` of a size, in that epoch; replaces `steps`. The same arguments
  // give the same steps, whoever asks.
  void plan(uint64_t seed, uint32_t epoch, uint64_t sample, int32_t width, int32_t height,
            std::vector<image::Step>& steps) const;

  // Of every sample, in pixels.
  int32_t out_width() const { return out_width_; }
  int32_t out_height() const { return out_height_; }
  // What is done to the values of each sample alike: ToTensor and Normalize steps.
  const std::vector<image::Step>& value_steps() const { return value_steps_; }
  // Does a step leave other values than whole numbers from 0 to 255?
  bool makes_fractions() const;

 private:
  void check_order(const std::vector<image::Stage>& stages,
                   const std::vector<TransformSpec>& specs) const;
  void find_out_size();

  std::vector<std::unique_ptr<image::Operation>> operations_;
  std::vector<image::Step> value_steps_;
  int32_t out_width_ = 0, out_height_ = 0;
};

// The transform of that name; throws Error that lists what there is.
image::Transform find_transform(const std::string& name);

}  // namespace stoker::pipeline
