// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/random_flip.h"

namespace stoker::image {
namespace {

class RandomFlip : public Operation {
 public:
  RandomFlip(float probability, bool horizontal)
      : probability_(probability), horizontal_(horizontal) {}

  void plan(Draws& draws, int32_t& /*width*/, int32_t& /*height*/,
            std::vector<Step>& steps) const override {
    if (draws.uniform() < probability_) {
      steps.emplace_back(FlipStep{horizontal_});
    }
  }

 private:
  float probability_;
  bool horizontal_;
};

}  // namespace

std::unique_ptr<Operation> make_random_flip(const ParamMap& params, bool horizontal) {
  return std::make_unique<RandomFlip>(static_cast<float>(params.number("p")), horizontal);
}

}  // namespace stoker::image
