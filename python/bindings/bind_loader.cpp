// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bindings.h"
#include "from_python.h"
#include "stoker/pipeline/loader.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using stoker::io::Source;
using stoker::pipeline::Loader;
using Error = std::tuple<int64_t, int64_t, nb::bytes, std::string>;

constexpr int64_t kSliceMs = 50;  // between looks for Ctrl-C

stoker::pipeline::LoaderOptions options_from(const nb::dict& given) {
  const auto number = [&](const char* name) { return nb::cast<int64_t>(given[name]); };
  stoker::pipeline::LoaderOptions options;
  options.epoch.batch_size = number("batch_size");
  options.epoch.shuffle = nb::cast<bool>(given["shuffle"]);
  options.epoch.seed = nb::cast<uint64_t>(given["seed"]);
  options.epoch.drop_last = nb::cast<bool>(given["drop_last"]);
  options.epoch.rank = static_cast<int32_t>(number("rank"));
  options.epoch.world_size = static_cast<int32_t>(number("world_size"));
  options.epoch.uneven =
      nb::cast<bool>(given["pad"]) ? stoker::pipeline::Uneven::Pad : stoker::pipeline::Uneven::Drop;
  options.threads = static_cast<int32_t>(number("threads"));
  options.on_error = static_cast<stoker::pipeline::OnError>(number("on_error"));
  options.dtype = stoker::pipeline::dtype_of(nb::cast<std::string>(given["dtype"]));
  options.layout = stoker::pipeline::layout_of(nb::cast<std::string>(given["layout"]));
  options.order = static_cast<stoker::image::PassOrder>(number("order"));
  options.hand_over = nb::cast<bool>(given["hand_over"]);
  return options;
}

void make_loader(Loader* self, std::shared_ptr<Source> source, const PythonTransforms& transforms,
                 const nb::dict& options) {
  new (self) Loader(std::move(source), transforms_from(transforms), options_from(options));
}

int64_t batches_of_epoch(int64_t samples, const nb::dict& given) {
  stoker::pipeline::EpochOptions options = options_from(given).epoch;
  options.samples = samples;
  options.shuffle = false;
  return stoker::pipeline::EpochPlan(options, 0, 0).batches();
}

// ([(row, sample, name, reason)], rows that were not written)
std::tuple<std::vector<Error>, std::vector<int64_t>> next_batch(Loader& loader) {
  std::optional<stoker::pipeline::FinishedBatch> batch;
  while (!batch) {
    {
      const nb::gil_scoped_release release;
      batch = loader.next(kSliceMs);
    }
    if (!batch && PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  }
  std::vector<Error> errors;
  for (const stoker::pipeline::SampleError& error : batch->errors) {
    errors.emplace_back(error.row, error.sample, bytes_of(error.name), error.status.message());
  }
  return {std::move(errors), std::move(batch->missing)};
}

// (id, name, bytes, how many wait behind it), or None.
nb::object wait_handover(Loader& loader, int64_t timeout_ms) {
  const auto handover = [&] {
    const nb::gil_scoped_release release;
    return loader.wait_handover(timeout_ms);
  }();
  if (!handover) {
    return nb::none();
  }
  return nb::make_tuple(
      handover->id, bytes_of(handover->name),
      nb::bytes(reinterpret_cast<const char*>(handover->bytes.data()), handover->bytes.size()),
      handover->waiting);
}

void finish_handover(Loader& loader, uint64_t id, const nb::bytes& rgb, int32_t width,
                     int32_t height) {
  const auto stride = static_cast<size_t>(width) * 3;
  if (width < 1 || height < 1 || rgb.size() != stride * static_cast<size_t>(height)) {
    throw nb::value_error("pixels are not width * height * 3 bytes");
  }
  auto* data = const_cast<uint8_t*>(static_cast<const uint8_t*>(rgb.data()));
  const nb::gil_scoped_release release;
  loader.finish_handover(id, {data, width, height, 3, stride});
}

nb::dict stats(const Loader& loader) {
  const stoker::pipeline::LoaderStats s = loader.stats();
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  nb::dict out;
  out["samples"] = s.samples;
  out["batches"] = s.batches;
  out["errors"] = s.errors;
  out["bytes_read"] = s.bytes_read;
  out["read_ms"] = ms(s.read_ns);
  out["decode_ms"] = ms(s.decode_ns);
  out["transform_ms"] = ms(s.transform_ns);
  out["write_ms"] = ms(s.write_ns);
  out["waited_ms"] = ms(s.waited_ns);
  out["elapsed_ms"] = ms(s.elapsed_ns);
  out["threads"] = s.threads;
  out["threads_most"] = s.threads_most;
  out["reads_ahead"] = s.reads_ahead;
  out["indexed"] = s.indexed;
  out["handed_over"] = s.handed_over;
  out["handed_over_reasons"] = nb::cast(s.handed_over_reasons);
  return out;
}

void lend(Loader& loader, uintptr_t images, uintptr_t labels, uintptr_t samples) {
  loader.lend(reinterpret_cast<void*>(images), reinterpret_cast<int64_t*>(labels),
              reinterpret_cast<int64_t*>(samples));
}

}  // namespace

void register_loader(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Loader>(m, "Loader", "The engine of stoker.ImageLoader; see pipeline/loader.h.")
      .def_static("batches_of_epoch", &batches_of_epoch, "samples"_a, "options"_a)
      .def("__init__", &make_loader, "source"_a, "transforms"_a, "options"_a)
      .def("begin_epoch", &Loader::begin_epoch, "epoch"_a, "position"_a, Release())
      .def("batches", [](const Loader& l) { return l.plan().batches(); })
      .def("batch_samples", [](const Loader& l, int64_t b) { return l.plan().batch_samples(b); })
      .def("position_after", [](const Loader& l, int64_t b) { return l.plan().position_after(b); })
      .def("repeated", [](const Loader& l) { return l.plan().repeated(); })
      .def("dropped", [](const Loader& l) { return l.plan().dropped(); })
      .def("out_size", [](const Loader& l) { return std::pair(l.out_height(), l.out_width()); })
      .def("lend", &lend, "images"_a, "labels"_a, "samples"_a)
      .def("next", &next_batch)
      .def("wait_handover", &wait_handover, "timeout_ms"_a)
      .def("finish_handover", &finish_handover, "id"_a, "rgb"_a, "width"_a, "height"_a)
      .def(
          "fail_handover",
          [](Loader& l, uint64_t id, const std::string& reason) {
            l.fail_handover(id, {stoker::ErrorCode::Corrupt, reason});
          },
          "id"_a, "reason"_a, Release())
      .def("stats", &stats)
      .def("closed", &Loader::closed)
      .def("close", &Loader::close, Release());
}
