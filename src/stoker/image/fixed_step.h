// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "stoker/image/transform.h"

namespace stoker::image {

// A transform without draws that does the same to every image.
class FixedStep : public Operation {
 public:
  explicit FixedStep(const Step& step) : step_(step) {}
  void plan(Draws& /*draws*/, int32_t& /*width*/, int32_t& /*height*/,
            std::vector<Step>& steps) const override {
    steps.push_back(step_);
  }

 private:
  Step step_;
};

}  // namespace stoker::image
