// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pad_params.h"
#include "stoker/image/transform.h"

namespace stoker::image {
namespace {

class Pad : public Operation {
 public:
  explicit Pad(const ParamMap& params) : step_(pad_step_of(params)) {}

  void plan(Draws& /*draws*/, int32_t& width, int32_t& height,
            std::vector<Step>& steps) const override {
    steps.emplace_back(step_);
    width += step_.left + step_.right;
    height += step_.top + step_.bottom;
  }

 private:
  PadStep step_;
};

}  // namespace

Transform transform_pad() {
  return {.id = "pad",
          .name = "Pad",
          .help = "Puts a border round the image",
          .params = {{.name = "padding",
                      .kind = ParamKind::Numbers,
                      .help = "pixels: all sides, or (x, y), or (left, top, right, bottom)",
                      .required = true},
                     fill_param(),
                     padding_mode_param()},
          .make = [](const ParamMap& params) -> std::unique_ptr<Operation> {
            return std::make_unique<Pad>(params);
          }};
}

}  // namespace stoker::image
