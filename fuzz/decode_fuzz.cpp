// SPDX-License-Identifier: Apache-2.0
// Any bytes through the whole renderer, with a plan that comes from the bytes as well.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/codec/decoders_registry.h"
#include "stoker/pipeline/render.h"

namespace {

constexpr int32_t kMaxPixels = 1 << 20;  // larger images only cost time

// The last bytes of the input decide; a JPEG does not look at what follows its end marker.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  int32_t below(int32_t limit) {
    uint32_t value = 0;
    for (int i = 0; i < 2 && left_ > 0; ++i) {
      value = value << 8 | data_[--left_];
    }
    return static_cast<int32_t>(value % static_cast<uint32_t>(limit));
  }
  stoker::Region region(int32_t width, int32_t height) {
    const int32_t x0 = below(width);
    const int32_t y0 = below(height);
    return {x0, y0, x0 + 1 + below(width - x0), y0 + 1 + below(height - y0)};
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto state = stoker::codec::all_decoders().at(0).make_state();
  static stoker::pipeline::Renderer renderer;
  const auto info = state->read_info({data, size});
  if (!info.ok() || int64_t{info->width} * info->height > kMaxPixels) {
    return 0;
  }
  Choices choices(data, size);
  stoker::pipeline::RenderPlan plan;
  plan.crop = choices.region(info->width, info->height);
  const int32_t flags = choices.below(256);
  plan.mirror_x_before = (flags & 1) != 0;
  plan.mirror_y_before = (flags & 2) != 0;
  plan.mirror_x_after = (flags & 4) != 0;
  plan.mirror_y_after = (flags & 8) != 0;
  plan.resized = (flags & 16) != 0;
  plan.channels = (flags & 32) != 0 ? 1 : 3;
  plan.filter = static_cast<stoker::image::Filter>(choices.below(6));
  plan.order = static_cast<stoker::image::PassOrder>(choices.below(2));
  plan.out_width = 1 + choices.below(300);
  plan.out_height = 1 + choices.below(300);
  plan.window = plan.resized ? choices.region(plan.out_width, plan.out_height)
                             : choices.region(plan.crop.width(), plan.crop.height());
  std::vector<uint8_t> out(static_cast<size_t>(plan.window.width()) *
                           static_cast<size_t>(plan.window.height()) *
                           static_cast<size_t>(plan.channels));
  stoker::pipeline::RenderTimes times;
  (void)renderer.render({data, size}, plan, out.data(), times).ok();
  return 0;
}
