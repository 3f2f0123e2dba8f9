// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/resample.h"

#include <fmt/format.h>

#include <cstring>

#include "stoker/image/axis.h"
#include "stoker/image/kernels/resize.h"

namespace stoker::image {
namespace {

constexpr size_t kSlackBytes = 64;  // kernels read that far beyond the last pixel

struct Request {
  Axis x, y;
  Filter filter = Filter::Bilinear;
  PassOrder order = PassOrder::ByCost;

  bool vertical_first() const {
    if (order == PassOrder::ByCost) {
      return y.in > y.out && int64_t{y.in} - y.out > 2 * (int64_t{x.in} - x.out);
    }
    // Pillow before 13 resized very tall images in two calls.
    return int64_t{y.in} > 100 * int64_t{x.in} && y.out < y.in;
  }
};

Request make_request(int32_t in_width, int32_t in_height, int32_t out_width, int32_t out_height,
                     Filter filter, PassOrder order, const Region& window) {
  return {{in_width, out_width, window.x0, window.x1},
          {in_height, out_height, window.y0, window.y1},
          filter,
          order};
}

Status check(const ImageView& part, const Region& part_of, const Request& request,
             const Region& window, const ImageView& out) {
  if (request.x.in <= 0 || request.y.in <= 0 || request.x.out <= 0 || request.y.out <= 0) {
    return {ErrorCode::InvalidArgument,
            fmt::format("cannot resize {} x {} to {} x {}", request.x.in, request.y.in,
                        request.x.out, request.y.out)};
  }
  if (window.x0 < 0 || window.y0 < 0 || window.x0 >= window.x1 || window.y0 >= window.y1 ||
      window.x1 > request.x.out || window.y1 > request.y.out) {
    return {ErrorCode::InvalidArgument,
            fmt::format("window ({}, {}, {}, {}) is empty or outside {} x {}", window.x0, window.y0,
                        window.x1, window.y1, request.x.out, request.y.out)};
  }
  if (part.channels != 4 || out.channels != 4 || out.width != window.width() ||
      out.height != window.height() || part.width != part_of.width() ||
      part.height != part_of.height()) {
    return {ErrorCode::InvalidArgument, "the images are not RGBX of the sizes asked for"};
  }
  const Span columns = source_span(request.x, request.filter);
  const Span rows = source_span(request.y, request.filter);
  if (part_of.x0 < 0 || part_of.y0 < 0 || part_of.x1 > request.x.in || part_of.y1 > request.y.in ||
      columns.first < part_of.x0 || rows.first < part_of.y0 ||
      columns.first + columns.count > part_of.x1 || rows.first + rows.count > part_of.y1) {
    return {ErrorCode::InvalidArgument, "the window needs pixels that are not at hand"};
  }
  return {};
}

ImageView sub_view(const ImageView& view, const Span& columns, const Span& rows) {
  return {view.row(rows.first) + static_cast<size_t>(columns.first) * 4, columns.count, rows.count,
          4, view.stride_bytes};
}

void copy(const ImageView& in, const ImageView& out) {
  for (int32_t y = 0; y < out.height; ++y) {
    std::memcpy(out.row(y), in.row(y), static_cast<size_t>(out.width) * 4);
  }
}

// `origin`: the source pixel at (0, 0) of `in`.
void resize_nearest(const ImageView& in, int32_t origin_x, int32_t origin_y, const Request& request,
                    const ImageView& out, ResampleScratch& scratch) {
  nearest_sources(request.x, scratch.horizontal_bounds);
  nearest_sources(request.y, scratch.vertical_bounds);
  for (int32_t y = 0; y < out.height; ++y) {
    const int32_t source_y = scratch.vertical_bounds[static_cast<size_t>(y)];
    for (int32_t x = 0; x < out.width; ++x) {
      const int32_t source_x = scratch.horizontal_bounds[static_cast<size_t>(x)];
      uint32_t pixel = 0;
      if (source_x >= 0 && source_y >= 0) {
        std::memcpy(&pixel,
                    in.row(source_y - origin_y) + static_cast<size_t>(source_x - origin_x) * 4, 4);
      }
      std::memcpy(out.row(y) + static_cast<size_t>(x) * 4, &pixel, 4);
    }
  }
}

// The passes over the source pixels that the window needs, all of which `in` holds and no more.
class Passes {
 public:
  Passes(const Request& request, const ResizeKernels& kernels, ResampleScratch& scratch)
      : request_(request), kernels_(kernels), scratch_(scratch) {}

  void horizontal(const ImageView& in, const ImageView& out) {
    const Taps taps =
        make_taps(request_.x, request_.filter, source_span(request_.x, request_.filter),
                  scratch_.exact_weights, scratch_.horizontal_bounds, scratch_.horizontal_weights);
    kernels_.horizontal(make_job(in, out, taps, scratch_.horizontal_weights));
  }

  void vertical(const ImageView& in, const ImageView& out) {
    const Taps taps =
        make_taps(request_.y, request_.filter, source_span(request_.y, request_.filter),
                  scratch_.exact_weights, scratch_.vertical_bounds, scratch_.vertical_weights);
    scratch_.row_pointers.resize(static_cast<size_t>(taps.taps()));
    kernels_.vertical(make_job(in, out, taps, scratch_.vertical_weights));
  }

  // Room for what the first pass leaves to the second.
  ImageView between(int32_t width, int32_t height) {
    const size_t stride = static_cast<size_t>(width) * 4;
    return {scratch_.rows.resize(stride * static_cast<size_t>(height) + kSlackBytes), width, height,
            4, stride};
  }

 private:
  PassJob make_job(const ImageView& in, const ImageView& out, const Taps& taps,
                   std::vector<int32_t>& weights) {
    if (kernels_.split_weights) {
      split_weights(weights);
    }
    PassJob job;
    job.in = in.data;
    job.in_stride_bytes = in.stride_bytes;
    job.out = out.data;
    job.out_stride_bytes = out.stride_bytes;
    job.width = out.width;
    job.height = out.height;
    job.groups = taps.groups;
    job.firsts = taps.firsts->data();
    job.weights = weights.data();
    job.source_rows = in.height;
    job.row_pointers = scratch_.row_pointers.data();
    return job;
  }

  const Request& request_;
  const ResizeKernels& kernels_;
  ResampleScratch& scratch_;
};

void resize_filtered(const ImageView& in, const Request& request, const ImageView& out,
                     const ResizeKernels& kernels, ResampleScratch& scratch) {
  Passes passes(request, kernels, scratch);
  if (!request.y.changes()) {
    passes.horizontal(in, out);
  } else if (!request.x.changes()) {
    passes.vertical(in, out);
  } else if (request.vertical_first()) {
    const ImageView between = passes.between(in.width, out.height);
    passes.vertical(in, between);
    passes.horizontal(between, out);
  } else {
    const ImageView between = passes.between(out.width, in.height);
    passes.horizontal(in, between);
    passes.vertical(between, out);
  }
}

Status resize_by(const ResizeKernels& kernels, const ImageView& part, const Region& part_of,
                 const Request& request, const Region& window, const ImageView& out,
                 ResampleScratch& scratch) {
  if (Status status = check(part, part_of, request, window, out); !status.ok()) {
    return status;
  }
  Span columns = source_span(request.x, request.filter);
  Span rows = source_span(request.y, request.filter);
  const int32_t origin_x = columns.first;
  const int32_t origin_y = rows.first;
  columns.first -= part_of.x0;
  rows.first -= part_of.y0;
  const ImageView needed = sub_view(part, columns, rows);
  if (!request.x.changes() && !request.y.changes()) {
    copy(needed, out);
  } else if (request.filter == Filter::Nearest) {
    resize_nearest(needed, origin_x, origin_y, request, out, scratch);
  } else {
    resize_filtered(needed, request, out, kernels, scratch);
  }
  return {};
}

}  // namespace

Region resize_source(int32_t in_width, int32_t in_height, int32_t out_width, int32_t out_height,
                     Filter filter, const Region& window) {
  const Span columns = source_span({in_width, out_width, window.x0, window.x1}, filter);
  const Span rows = source_span({in_height, out_height, window.y0, window.y1}, filter);
  return {columns.first, rows.first, columns.first + columns.count, rows.first + rows.count};
}

Status resize_part(const ImageView& part, const Region& part_of, int32_t in_width,
                   int32_t in_height, int32_t out_width, int32_t out_height, Filter filter,
                   PassOrder order, const Region& window, const ImageView& out,
                   ResampleScratch& scratch) {
  return resize_by(resize_kernels(current_target()), part, part_of,
                   make_request(in_width, in_height, out_width, out_height, filter, order, window),
                   window, out, scratch);
}

Status resize(const ImageView& in, int32_t out_width, int32_t out_height, Filter filter,
              PassOrder order, const Region& window, const ImageView& out,
              ResampleScratch& scratch) {
  return resize_part(in, {0, 0, in.width, in.height}, in.width, in.height, out_width, out_height,
                     filter, order, window, out, scratch);
}

Status resize_reference(const ImageView& in, int32_t out_width, int32_t out_height, Filter filter,
                        PassOrder order, const Region& window, const ImageView& out,
                        ResampleScratch& scratch) {
  return resize_by(resize_kernels(SimdTarget::Scalar), in, {0, 0, in.width, in.height},
                   make_request(in.width, in.height, out_width, out_height, filter, order, window),
                   window, out, scratch);
}

}  // namespace stoker::image
