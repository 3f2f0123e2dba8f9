// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/core/shared_counter.h"
#include "stoker/image/pixels.h"
#include "stoker/pipeline/render.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using stoker::Status;

// A file that the native path does not answer for; Python hands it to Pillow.
struct DecodeError : std::runtime_error {
  explicit DecodeError(const Status& status) : std::runtime_error(status.to_string()) {}
};

stoker::codec::Bytes bytes_of(const nb::bytes& data) {
  return {static_cast<const uint8_t*>(data.data()), data.size()};
}

// One renderer and one decoder a thread: their scratch memory is kept between images.
stoker::pipeline::Renderer& thread_renderer() {
  thread_local stoker::pipeline::Renderer renderer;
  return renderer;
}

stoker::codec::DecoderState& thread_jpeg_state() {
  thread_local std::unique_ptr<stoker::codec::DecoderState> state =
      stoker::codec::decoder_jpeg().make_state();
  return *state;
}

std::tuple<int, int, int, size_t> read_info(const nb::bytes& data) {
  const stoker::codec::Bytes bytes = bytes_of(data);
  const auto info = [&] {
    nb::gil_scoped_release release;
    return thread_jpeg_state().read_info(bytes);
  }();
  if (!info.ok()) {
    throw DecodeError(info.status());
  }
  return {info->width, info->height, info->channels, info->end_bytes};
}

// `plan` is (crop, mirror_before, size | None, filter, order, window, mirror_after, channels).
stoker::pipeline::RenderPlan plan_from(const nb::tuple& plan) {
  using Box = std::tuple<int, int, int, int>;
  const auto region = [](const nb::handle& value) {
    const auto [x0, y0, x1, y1] = nb::cast<Box>(value);
    return stoker::Region{x0, y0, x1, y1};
  };
  stoker::pipeline::RenderPlan out;
  out.crop = region(plan[0]);
  std::tie(out.mirror_x_before, out.mirror_y_before) = nb::cast<std::tuple<bool, bool>>(plan[1]);
  out.resized = !plan[2].is_none();
  if (out.resized) {
    std::tie(out.out_width, out.out_height) = nb::cast<std::tuple<int, int>>(plan[2]);
  }
  out.filter = static_cast<stoker::image::Filter>(nb::cast<int>(plan[3]));
  out.order = static_cast<stoker::image::PassOrder>(nb::cast<int>(plan[4]));
  out.window = region(plan[5]);
  std::tie(out.mirror_x_after, out.mirror_y_after) = nb::cast<std::tuple<bool, bool>>(plan[6]);
  out.channels = nb::cast<int>(plan[7]);
  return out;
}

// The pixels that `body(plan, out, times)` writes, and its times; runs without the GIL.
template <class Body>
std::tuple<nb::bytes, int64_t, int64_t> rendered(const nb::tuple& plan, Body body) {
  const stoker::pipeline::RenderPlan request = plan_from(plan);
  const Py_ssize_t size =
      static_cast<Py_ssize_t>(request.window.width()) * request.window.height() * request.channels;
  auto pixels = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, size));
  if (!pixels.is_valid()) {
    throw nb::python_error();
  }
  auto* out = static_cast<uint8_t*>(const_cast<void*>(pixels.data()));
  stoker::pipeline::RenderTimes times;
  const Status status = [&] {
    nb::gil_scoped_release release;
    return body(request, out, times);
  }();
  if (!status.ok()) {
    throw DecodeError(status);
  }
  return {std::move(pixels), times.decode_ns, times.transform_ns};
}

std::tuple<nb::bytes, int64_t, int64_t> render(const nb::bytes& data, const nb::tuple& plan) {
  const stoker::codec::Bytes bytes = bytes_of(data);
  return rendered(plan, [bytes](const auto& request, uint8_t* out, auto& times) {
    return thread_renderer().render(bytes, request, out, times);
  });
}

std::tuple<nb::bytes, int64_t, int64_t> render_pixels(const nb::bytes& pixels, int width,
                                                      int height, int channels,
                                                      const nb::tuple& plan) {
  const size_t row_bytes = static_cast<size_t>(width) * static_cast<size_t>(channels);
  if (width < 1 || height < 1 || pixels.size() != row_bytes * static_cast<size_t>(height)) {
    throw nb::value_error("render_pixels: the bytes do not hold height x width x channels pixels");
  }
  // The renderer only reads from the view.
  auto* data = static_cast<uint8_t*>(const_cast<void*>(pixels.data()));
  const stoker::ImageView view{data, width, height, channels, row_bytes};
  return rendered(plan, [&view](const auto& request, uint8_t* out, auto& times) {
    return thread_renderer().render_pixels(view, request, out, times);
  });
}

void to_tensor(const nb::bytes& hwc, int height, int width, int channels, uintptr_t out) {
  if (hwc.size() !=
      static_cast<size_t>(height) * static_cast<size_t>(width) * static_cast<size_t>(channels)) {
    throw nb::value_error("to_tensor: the bytes do not hold height x width x channels pixels");
  }
  const auto* in = static_cast<const uint8_t*>(hwc.data());
  nb::gil_scoped_release release;
  stoker::image::to_tensor(in, height, width, channels, reinterpret_cast<float*>(out));
}

void normalize(uintptr_t in, int channels, size_t plane, const std::vector<float>& mean,
               const std::vector<float>& std, uintptr_t out) {
  if (mean.size() != static_cast<size_t>(channels) || std.size() != mean.size()) {
    throw nb::value_error("normalize: one mean and one std a channel are needed");
  }
  nb::gil_scoped_release release;
  stoker::image::normalize(reinterpret_cast<const float*>(in), channels, plane, mean.data(),
                           std.data(), reinterpret_cast<float*>(out));
}

std::unique_ptr<stoker::SharedCounter> open_counter(const std::string& path) {
  auto counter = stoker::SharedCounter::open(path);
  if (!counter.ok()) {
    throw std::runtime_error(counter.status().to_string());
  }
  return std::move(*counter);
}

}  // namespace

void register_image(nb::module_& m) {
  nb::exception<DecodeError>(m, "DecodeError", PyExc_ValueError);
  m.def("simd_target", &stoker::image::simd_target);
  m.def("read_info", &read_info, "data"_a,
        "(width, height, channels, end) of a JPEG; end is just behind the end marker of a clean "
        "file, "
        "0 of any other. DecodeError if its header cannot be read.");
  m.def("render", &render, "data"_a, "plan"_a,
        "(pixels, decode_ns, transform_ns): packed HWC uint8 pixels of a plan applied to a JPEG.");
  m.def("render_pixels", &render_pixels, "pixels"_a, "width"_a, "height"_a, "channels"_a, "plan"_a,
        "render() for packed HWC uint8 pixels that are decoded already.");
  m.def("to_tensor", &to_tensor, "hwc"_a, "height"_a, "width"_a, "channels"_a, "out"_a,
        "HWC uint8 bytes to CHW float32 / 255 at the address `out`.");
  m.def("normalize", &normalize, "input"_a, "channels"_a, "plane"_a, "mean"_a, "std"_a, "out"_a,
        "(x - mean) / std over CHW float32 at the addresses `input` and `out`.");
  nb::class_<stoker::SharedCounter>(m, "SharedCounter")
      .def_static("open", &open_counter, "path"_a = "")
      .def("next", &stoker::SharedCounter::next)
      .def("stop", &stoker::SharedCounter::stop)
      .def_prop_ro_static("STOPPED", [](nb::handle) { return stoker::SharedCounter::kStopped; });
}
