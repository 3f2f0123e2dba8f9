// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/render.h"

#include <fmt/format.h>

#include <new>
#include <utility>
#include <vector>

#include "stoker/codec/decoders_registry.h"
#include "stoker/core/clock.h"
#include "stoker/image/pixels.h"

namespace stoker::pipeline {
namespace {

bool is_inside(const Region& r, int32_t width, int32_t height) {
  return r.x0 >= 0 && r.y0 >= 0 && r.x0 < r.x1 && r.y0 < r.y1 && r.x1 <= width && r.y1 <= height;
}

Status check(const RenderPlan& plan) {
  if (plan.channels != 1 && plan.channels != 3) {
    return {ErrorCode::InvalidArgument,
            fmt::format("an output of {} channels; 1 and 3 are possible", plan.channels)};
  }
  if (plan.crop.x0 >= plan.crop.x1 || plan.crop.y0 >= plan.crop.y1) {
    return {ErrorCode::InvalidArgument, "the crop is empty"};
  }
  const int32_t width = plan.resized ? plan.out_width : plan.crop.width();
  const int32_t height = plan.resized ? plan.out_height : plan.crop.height();
  if (!is_inside(plan.window, width, height)) {
    return {ErrorCode::InvalidArgument,
            fmt::format("window ({}, {}, {}, {}) is empty or outside {} x {}", plan.window.x0,
                        plan.window.y0, plan.window.x1, plan.window.y1, width, height)};
  }
  return {};
}

// Runs a checked plan; a lack of memory is a failure of this image alone.
template <class Body>
auto guarded(const RenderPlan& plan, Body body) -> decltype(body()) {
  if (Status status = check(plan); !status.ok()) {
    return status;
  }
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::TooLarge, "no memory left for the pixels");
  }
}

// The pixels of the mirrored crop that the window depends on.
Region needed_of_crop(const RenderPlan& plan) {
  if (!plan.resized) {
    return plan.window;
  }
  return image::resize_source(plan.crop.width(), plan.crop.height(), plan.out_width,
                              plan.out_height, plan.filter, plan.window);
}

// A region of the mirrored crop in source pixels.
Region in_source(const RenderPlan& plan, Region r) {
  if (plan.mirror_x_before) {
    r = {plan.crop.width() - r.x1, r.y0, plan.crop.width() - r.x0, r.y1};
  }
  if (plan.mirror_y_before) {
    r = {r.x0, plan.crop.height() - r.y1, r.x1, plan.crop.height() - r.y0};
  }
  return {r.x0 + plan.crop.x0, r.y0 + plan.crop.y0, r.x1 + plan.crop.x0, r.y1 + plan.crop.y0};
}

void mirror(const ImageView& rgbx, bool x, bool y) {
  if (x) {
    image::flip_horizontal(rgbx);
  }
  if (y) {
    image::flip_vertical(rgbx);
  }
}

}  // namespace

struct Renderer::Impl {
  struct Entry {
    codec::Decoder decoder;
    std::unique_ptr<codec::DecoderState> state;
  };

  codec::DecoderState* find(codec::Bytes data) {
    for (Entry& entry : entries) {
      if (entry.decoder.probe(data)) {
        if (!entry.state) {
          entry.state = entry.decoder.make_state();
        }
        return entry.state.get();
      }
    }
    return nullptr;
  }

  Status open(codec::Bytes data, codec::Bytes index);
  // Decodes `needed` of the crop of the opened image, which is used up.
  Status decode(const RenderPlan& plan, const Region& needed, ImageView& out);
  Result<ImageView> run(const RenderPlan& plan, RenderTimes& times);
  Result<ImageView> run_pixels(const ImageView& whole, const RenderPlan& plan, RenderTimes& times);
  Result<ImageView> transform(const RenderPlan& plan, const Region& needed,
                              const ImageView& decoded);

  std::vector<Entry> entries;
  struct Opened {
    codec::Bytes data, index;
    codec::DecoderState* state = nullptr;
    codec::ImageInfo info;
  } opened;
  Buffer decoded, resized;
  image::ResampleScratch scratch;
};

Status Renderer::Impl::open(codec::Bytes data, codec::Bytes index) {
  opened = {data, index, find(data), {}};
  if (opened.state == nullptr) {
    return {ErrorCode::Unsupported, "no decoder knows these data"};
  }
  const Result<codec::ImageInfo> info = opened.state->read_info_indexed(data, index);
  if (!info.ok()) {
    opened = {};
    return info.status();
  }
  opened.info = *info;
  return {};
}

Status Renderer::Impl::decode(const RenderPlan& plan, const Region& needed, ImageView& out) {
  const Opened image = std::exchange(opened, {});
  if (image.state == nullptr) {
    return {ErrorCode::InvalidArgument, "no image is open"};
  }
  if (!is_inside(plan.crop, image.info.width, image.info.height)) {
    return {
        ErrorCode::InvalidArgument,
        fmt::format("crop ({}, {}, {}, {}) is outside an image of {} x {}", plan.crop.x0,
                    plan.crop.y0, plan.crop.x1, plan.crop.y1, image.info.width, image.info.height)};
  }
  out = image::rgbx_memory(decoded, needed.width(), needed.height());
  return image.state->decode(image.data,
                             {in_source(plan, needed), codec::PixelFormat::Rgbx, image.index}, out);
}

Result<ImageView> Renderer::Impl::transform(const RenderPlan& plan, const Region& needed,
                                            const ImageView& decoded_view) {
  mirror(decoded_view, plan.mirror_x_before, plan.mirror_y_before);
  ImageView pixels = decoded_view;
  if (plan.resized) {
    pixels = image::rgbx_memory(resized, plan.window.width(), plan.window.height());
    if (Status status = image::resize_part(decoded_view, needed, plan.crop.width(),
                                           plan.crop.height(), plan.out_width, plan.out_height,
                                           plan.filter, plan.order, plan.window, pixels, scratch);
        !status.ok()) {
      return status;
    }
  }
  mirror(pixels, plan.mirror_x_after, plan.mirror_y_after);
  return pixels;
}

Result<ImageView> Renderer::Impl::run(const RenderPlan& plan, RenderTimes& times) {
  const int64_t start = now_ns();
  const Region needed = needed_of_crop(plan);
  ImageView pixels;
  Status status = decode(plan, needed, pixels);
  const int64_t middle = now_ns();
  times.decode_ns += middle - start;
  if (!status.ok()) {
    return status;
  }
  Result<ImageView> result = transform(plan, needed, pixels);
  times.transform_ns = now_ns() - middle;
  return result;
}

Result<ImageView> Renderer::Impl::run_pixels(const ImageView& whole, const RenderPlan& plan,
                                             RenderTimes& times) {
  if (!is_inside(plan.crop, whole.width, whole.height) || (whole.channels | 2) != 3) {
    return Status(ErrorCode::InvalidArgument, "the plan does not fit the pixels");
  }
  const int64_t start = now_ns();
  const Region needed = needed_of_crop(plan);
  const ImageView part = image::rgbx_memory(decoded, needed.width(), needed.height());
  image::unpack(whole, in_source(plan, needed), part);
  Result<ImageView> result = transform(plan, needed, part);
  times.transform_ns = now_ns() - start;
  return result;
}

namespace {

Status pack_into(const Result<ImageView>& rgbx, int32_t channels, uint8_t* out) {
  if (!rgbx.ok()) {
    return rgbx.status();
  }
  image::pack(*rgbx, {out, rgbx->width, rgbx->height, channels,
                      static_cast<size_t>(rgbx->width) * static_cast<size_t>(channels)});
  return {};
}

// The first channel of RGBX is the grey value only where the image is grey.
Status check_grey(const RenderPlan& plan, int32_t channels) {
  return plan.channels == 1 && channels != 1
             ? Status(ErrorCode::Unsupported, "grey pixels of a colour image")
             : Status();
}

}  // namespace

Renderer::Renderer() : impl_(std::make_unique<Impl>()) {
  for (codec::Decoder& decoder : codec::all_decoders()) {
    impl_->entries.push_back({std::move(decoder), nullptr});
  }
}

Renderer::~Renderer() = default;

Status Renderer::render(codec::Bytes data, const RenderPlan& plan, uint8_t* out,
                        RenderTimes& times) {
  times = {};
  return guarded(plan, [&]() -> Status {
    const int64_t start = now_ns();
    Status status = impl_->open(data, {});
    times.decode_ns = now_ns() - start;
    if (status.ok()) {
      status = check_grey(plan, impl_->opened.info.channels);
    }
    return status.ok() ? pack_into(impl_->run(plan, times), plan.channels, out) : status;
  });
}

Status Renderer::render_pixels(const ImageView& pixels, const RenderPlan& plan, uint8_t* out,
                               RenderTimes& times) {
  times = {};
  return guarded(plan, [&]() -> Status {
    Status status = check_grey(plan, pixels.channels);
    return status.ok() ? pack_into(impl_->run_pixels(pixels, plan, times), plan.channels, out)
                       : status;
  });
}

Result<codec::ImageInfo> Renderer::open(codec::Bytes data, codec::Bytes index) {
  try {
    if (Status status = impl_->open(data, index); !status.ok()) {
      return status;
    }
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::TooLarge, "no memory left for the header");
  }
  return impl_->opened.info;
}

Result<ImageView> Renderer::render_rgbx(const RenderPlan& plan, RenderTimes& times) {
  times = {};
  return guarded(plan, [&] { return impl_->run(plan, times); });
}

Result<ImageView> Renderer::render_pixels_rgbx(const ImageView& pixels, const RenderPlan& plan,
                                               RenderTimes& times) {
  times = {};
  return guarded(plan, [&] { return impl_->run_pixels(pixels, plan, times); });
}

}  // namespace stoker::pipeline
