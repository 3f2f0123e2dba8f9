// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/fold.h"

namespace stoker::pipeline {
namespace {

// A rectangle of an image that is shown mirrored or not.
struct Shown {
  Region part;
  bool mirror_x = false, mirror_y = false;

  void crop(const image::CropStep& step) {
    const int32_t left = mirror_x ? part.width() - step.left - step.width : step.left;
    const int32_t top = mirror_y ? part.height() - step.top - step.height : step.top;
    const int32_t x0 = part.x0 + left;
    const int32_t y0 = part.y0 + top;
    part = {x0, y0, x0 + step.width, y0 + step.height};
  }
  void flip(const image::FlipStep& step) {
    if (step.horizontal) {
      mirror_x = !mirror_x;
    } else {
      mirror_y = !mirror_y;
    }
  }
};

}  // namespace

Folded fold(std::span<const image::Step> steps, int32_t width, int32_t height,
            image::PassOrder order) {
  Shown before{{0, 0, width, height}};
  Shown after;
  Folded folded;
  RenderPlan& plan = folded.plan;
  plan.order = order;
  for (const image::Step& step : steps) {
    Shown& shown = plan.resized ? after : before;
    if (const auto* crop = std::get_if<image::CropStep>(&step)) {
      shown.crop(*crop);
    } else if (const auto* flip = std::get_if<image::FlipStep>(&step)) {
      shown.flip(*flip);
    } else if (const auto* resize = std::get_if<image::ResizeStep>(&step);
               resize != nullptr && !plan.resized) {
      plan.resized = true;
      plan.out_width = resize->width;
      plan.out_height = resize->height;
      plan.filter = resize->filter;
      after.part = {0, 0, resize->width, resize->height};
    } else {
      break;
    }
    ++folded.steps;
  }
  plan.crop = before.part;
  plan.mirror_x_before = before.mirror_x;
  plan.mirror_y_before = before.mirror_y;
  plan.window = plan.resized ? after.part : Region{0, 0, plan.crop.width(), plan.crop.height()};
  plan.mirror_x_after = after.mirror_x;
  plan.mirror_y_after = after.mirror_y;
  return folded;
}

}  // namespace stoker::pipeline
