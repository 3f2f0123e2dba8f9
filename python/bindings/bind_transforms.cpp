// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings.h"
#include "from_python.h"
#include "stoker/image/pixels.h"
#include "stoker/image/transforms_registry.h"
#include "stoker/pipeline/chain.h"
#include "stoker/pipeline/named_step.h"
#include "stoker/pipeline/sample_maker.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using stoker::image::Step;
using stoker::pipeline::NamedStep;
using Steps = std::vector<std::pair<std::string, std::vector<double>>>;
using Pixels = nb::ndarray<const uint8_t, nb::shape<-1, -1, 3>, nb::c_contig, nb::device::cpu>;

nb::list transforms() {
  nb::list list;
  for (const stoker::image::Transform& transform : stoker::image::all_transforms()) {
    nb::list params;
    for (const stoker::Param& param : transform.params) {
      nb::dict entry;
      entry["name"] = param.name;
      entry["kind"] = stoker::param_kind_name(param.kind);
      entry["help"] = param.help;
      entry["fallback"] = param.fallback;
      entry["choices"] = param.choices;
      entry["required"] = param.required;
      params.append(entry);
    }
    nb::dict entry;
    entry["id"] = transform.id;
    entry["name"] = transform.name;
    entry["help"] = transform.help;
    entry["params"] = params;
    list.append(entry);
  }
  return list;
}

Steps plan_steps(const PythonTransforms& given, uint64_t seed, uint32_t epoch, uint64_t sample,
                 int32_t width, int32_t height) {
  const stoker::pipeline::Chain chain(transforms_from(given));
  std::vector<Step> steps;
  chain.plan(seed, epoch, sample, width, height, steps);
  Steps out;
  for (const Step& step : steps) {
    NamedStep named = stoker::pipeline::named(step);
    out.emplace_back(std::move(named.name), std::move(named.values));
  }
  return out;
}

nb::object apply_steps(const Pixels& pixels, const Steps& given, int order) {
  std::vector<Step> steps;
  for (const auto& [name, values] : given) {
    steps.push_back(stoker::pipeline::step_of({name, values}));
  }
  const auto height = static_cast<int32_t>(pixels.shape(0));
  const auto width = static_cast<int32_t>(pixels.shape(1));
  const auto stride = static_cast<size_t>(width) * 3;
  stoker::Buffer memory;
  const stoker::ImageView in{const_cast<uint8_t*>(pixels.data()), width, height, 3, stride};
  stoker::ImageView rgbx = stoker::image::rgbx_memory(memory, width, height);
  stoker::image::unpack(in, {0, 0, width, height}, rgbx);
  stoker::pipeline::StepScratch scratch;
  const stoker::Status status = stoker::pipeline::apply_image_steps(
      steps, static_cast<stoker::image::PassOrder>(order), rgbx, scratch);
  if (!status.ok()) {
    throw nb::value_error(status.to_string().c_str());
  }
  const auto out_stride = static_cast<size_t>(rgbx.width) * 3;
  auto* out = new uint8_t[out_stride * static_cast<size_t>(rgbx.height)];
  const nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
  stoker::image::pack(rgbx, {out, rgbx.width, rgbx.height, 3, out_stride});
  const size_t shape[] = {static_cast<size_t>(rgbx.height), static_cast<size_t>(rgbx.width), 3};
  return nb::cast(nb::ndarray<nb::numpy, uint8_t>(out, 3, shape, owner));
}

}  // namespace

std::vector<stoker::pipeline::TransformSpec> transforms_from(const PythonTransforms& given) {
  std::vector<stoker::pipeline::TransformSpec> specs;
  for (const auto& [name, params] : given) {
    specs.push_back({name, params});
  }
  return specs;
}

void register_transforms(nb::module_& m) {
  m.def("transforms", &transforms, "All transforms with their parameters.");
  m.def("plan_steps", &plan_steps, "transforms"_a, "seed"_a, "epoch"_a, "sample"_a, "width"_a,
        "height"_a, "What the transforms do to a sample: (name, numbers) of each step.");
  m.def("apply_steps", &apply_steps, "pixels"_a, "steps"_a, "order"_a = 1,
        "Applies image steps to RGB pixels [height, width, 3]; order: which pass of a resize is "
        "first, 0: the horizontal one, 1: as Pillow 13 does it.");
}
