// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "stoker/codec/decoder.h"
#include "stoker/core/buffer.h"
#include "stoker/core/status.h"
#include "stoker/image/resample.h"

namespace stoker::pipeline {

// What becomes of a compressed image, in this order: crop, mirror, resize, crop, mirror.
struct RenderPlan {
  Region crop;  // in source pixels
  bool mirror_x_before = false, mirror_y_before = false;
  bool resized = false;
  int32_t out_width = 0, out_height = 0;  // of the whole resize, when resized
  image::Filter filter = image::Filter::Bilinear;
  image::PassOrder order = image::PassOrder::ByCost;
  Region window;  // in pixels after resize; the part that is wanted
  bool mirror_x_after = false, mirror_y_after = false;
  int32_t channels = 3;  // of the output: 3 RGB, 1 grey
};

// Where the time of one render went.
struct RenderTimes {
  int64_t decode_ns = 0;
  int64_t transform_ns = 0;
};

// Decodes only what the plan needs and applies it. One a thread; nothing is allocated per image in
// the steady state.
class Renderer {
 public:
  Renderer();
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Writes window.height() x window.width() x channels bytes, packed, to `out`.
  // Fails rather than guess: any irregularity of the file is left to the caller's reference.
  Status render(codec::Bytes data, const RenderPlan& plan, uint8_t* out, RenderTimes& times);

  // Reads the header of the image that render_rgbx() is called with next. `index`: see
  // codec::DecodeRequest; both must stay where they are until then.
  Result<codec::ImageInfo> open(codec::Bytes data, codec::Bytes index = {});
  // The image that open() read, as RGBX in memory of the renderer, good until its next call;
  // `plan.channels` does not matter.
  Result<ImageView> render_rgbx(const RenderPlan& plan, RenderTimes& times);
  // The same for an image that is decoded already: packed grey or RGB, whole.
  Result<ImageView> render_pixels_rgbx(const ImageView& pixels, const RenderPlan& plan,
                                       RenderTimes& times);

  // render() for an image that is decoded already: `pixels` are packed grey or RGB, whole.
  Status render_pixels(const ImageView& pixels, const RenderPlan& plan, uint8_t* out,
                       RenderTimes& times);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::pipeline
