// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/sample_maker.h"

#include <fmt/format.h>

#include <functional>
#include <new>

#include "stoker/core/clock.h"
#include "stoker/image/pad.h"
#include "stoker/image/pixels.h"
#include "stoker/pipeline/fold.h"

namespace stoker::pipeline {
namespace {

constexpr int64_t kMostPixels = 89'478'485;  // Pillow's Image.MAX_IMAGE_PIXELS

// Memory for RGBX pixels that is not where `current` lies, which may be a part of an image.
ImageView other_memory(StepScratch& scratch, const ImageView& current, int32_t width,
                       int32_t height) {
  const uint8_t* const first = scratch.first.data();
  const bool in_first = std::less_equal<>()(first, current.data) &&
                        std::less<>()(current.data, first + scratch.first.capacity_bytes());
  return image::rgbx_memory(in_first ? scratch.second : scratch.first, width, height);
}

struct Apply {
  image::PassOrder order;
  ImageView& pixels;
  StepScratch& scratch;

  Status operator()(const image::CropStep& step) const {
    if (step.top < 0 || step.left < 0 || step.height < 1 || step.width < 1 ||
        step.top + step.height > pixels.height || step.left + step.width > pixels.width) {
      return {ErrorCode::InvalidArgument, "a crop reaches outside of the image"};
    }
    pixels.data +=
        static_cast<size_t>(step.top) * pixels.stride_bytes + static_cast<size_t>(step.left) * 4;
    pixels.width = step.width;
    pixels.height = step.height;
    return {};
  }
  Status operator()(const image::ResizeStep& step) const {
    const ImageView to = other_memory(scratch, pixels, step.width, step.height);
    Status status = image::resize(pixels, step.width, step.height, step.filter, order,
                                  {0, 0, step.width, step.height}, to, scratch.pixels.resample);
    pixels = to;
    return status;
  }
  Status operator()(const image::FlipStep& step) const {
    if (step.horizontal) {
      image::flip_horizontal(pixels);
    } else {
      image::flip_vertical(pixels);
    }
    return {};
  }
  Status operator()(const image::PadStep& step) const {
    const ImageView to = other_memory(scratch, pixels, pixels.width + step.left + step.right,
                                      pixels.height + step.top + step.bottom);
    image::pad(pixels, step, to);
    pixels = to;
    return {};
  }
  Status operator()(const image::PixelStep& step) const {
    step.op->apply(pixels, std::span(step.arguments).first(step.op->arguments.size()),
                   scratch.pixels);
    return {};
  }
  template <class TensorStep>
  Status operator()(const TensorStep& /*step*/) const {
    return {ErrorCode::Internal, "a step of tensors among those of images"};
  }
};

bool is_image_step(const image::Step& step) {
  return !std::holds_alternative<image::ToTensorStep>(step) &&
         !std::holds_alternative<image::NormalizeStep>(step) &&
         !std::holds_alternative<image::EraseStep>(step);
}

}  // namespace

Status apply_image_steps(std::span<const image::Step> steps, image::PassOrder order,
                         ImageView& pixels, StepScratch& scratch) {
  for (const image::Step& step : steps) {
    if (!is_image_step(step)) {
      break;
    }
    if (Status status = std::visit(Apply{order, pixels, scratch}, step); !status.ok()) {
      return status;
    }
  }
  return {};
}

struct SampleMaker::Impl {
  // After the renderer: the steps that it did not do, and the way into the batch.
  Status finish(const Result<ImageView>& rendered, size_t done, void* out, SampleTimes& times);
  Status run(codec::Bytes data, codec::Bytes index, const SampleKey& key, void* out,
             SampleTimes& times);
  Status run_pixels(const ImageView& pixels, const SampleKey& key, void* out, SampleTimes& times);

  const Chain& chain;
  const OutputWriter& writer;
  image::PassOrder order;
  Renderer renderer;
  std::vector<image::Step> steps;
  StepScratch scratch;
};

Status SampleMaker::Impl::finish(const Result<ImageView>& rendered, size_t done, void* out,
                                 SampleTimes& times) {
  if (!rendered.ok()) {
    return rendered.status();
  }
  const int64_t start = now_ns();
  ImageView pixels = *rendered;
  if (Status status = apply_image_steps(std::span<const image::Step>(steps).subspan(done), order,
                                        pixels, scratch);
      !status.ok()) {
    return status;
  }
  if (pixels.width != chain.out_width() || pixels.height != chain.out_height()) {
    return {ErrorCode::Internal,
            fmt::format("a sample of {} x {} pixels, expected {} x {}", pixels.width, pixels.height,
                        chain.out_width(), chain.out_height())};
  }
  const int64_t transformed = now_ns();
  writer.write(pixels, steps, out);
  times.transform_ns += transformed - start;
  times.write_ns = now_ns() - transformed;
  return {};
}

Status SampleMaker::Impl::run(codec::Bytes data, codec::Bytes index, const SampleKey& key,
                              void* out, SampleTimes& times) {
  const int64_t start = now_ns();
  const Result<codec::ImageInfo> info = renderer.open(data, index);
  if (!info.ok()) {
    return info.status();
  }
  if (int64_t{info->width} * info->height > kMostPixels) {
    return {ErrorCode::TooLarge, "so many pixels that Pillow warns or refuses"};
  }
  chain.plan(key.seed, key.epoch, key.sample, info->width, info->height, steps);
  const Folded folded = fold(steps, info->width, info->height, order);
  const int64_t opened = now_ns();
  RenderTimes render;
  const Result<ImageView> rendered = renderer.render_rgbx(folded.plan, render);
  times.decode_ns = opened - start + render.decode_ns;
  times.transform_ns = render.transform_ns;
  return finish(rendered, folded.steps, out, times);
}

Status SampleMaker::Impl::run_pixels(const ImageView& pixels, const SampleKey& key, void* out,
                                     SampleTimes& times) {
  chain.plan(key.seed, key.epoch, key.sample, pixels.width, pixels.height, steps);
  const Folded folded = fold(steps, pixels.width, pixels.height, order);
  RenderTimes render;
  const Result<ImageView> rendered = renderer.render_pixels_rgbx(pixels, folded.plan, render);
  times.transform_ns = render.transform_ns;
  return finish(rendered, folded.steps, out, times);
}

SampleMaker::SampleMaker(const Chain& chain, const OutputWriter& writer, image::PassOrder order)
    : impl_(new Impl{chain, writer, order, {}, {}, {}}) {}

SampleMaker::~SampleMaker() = default;

Status SampleMaker::make(codec::Bytes data, codec::Bytes index, const SampleKey& key, void* out,
                         SampleTimes& times) {
  times = {};
  try {
    return impl_->run(data, index, key, out, times);
  } catch (const std::bad_alloc&) {
    return {ErrorCode::TooLarge, "no memory left for the pixels"};
  }
}

Status SampleMaker::make_from_pixels(const ImageView& pixels, const SampleKey& key, void* out,
                                     SampleTimes& times) {
  times = {};
  try {
    return impl_->run_pixels(pixels, key, out, times);
  } catch (const std::bad_alloc&) {
    return {ErrorCode::TooLarge, "no memory left for the pixels"};
  }
}

}  // namespace stoker::pipeline
