// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/named_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/core/error.h"
#include "stoker/image/transforms_registry.h"

namespace stoker::pipeline {
namespace {

struct Namer {
  NamedStep operator()(const image::CropStep& s) const {
    return make("crop", s.top, s.left, s.height, s.width);
  }
  NamedStep operator()(const image::ResizeStep& s) const {
    return make("resize", s.height, s.width, static_cast<int>(s.filter));
  }
  NamedStep operator()(const image::FlipStep& s) const { return make("flip", s.horizontal); }
  NamedStep operator()(const image::PadStep& s) const {
    return make("pad", s.left, s.top, s.right, s.bottom, static_cast<int>(s.mode), s.fill[0],
                s.fill[1], s.fill[2]);
  }
  NamedStep operator()(const image::PixelStep& s) const {
    const auto count = static_cast<std::ptrdiff_t>(s.op->arguments.size());
    return {s.op->name, {s.arguments.begin(), s.arguments.begin() + count}};
  }
  NamedStep operator()(const image::ToTensorStep& s) const { return make("to_tensor", s.scale); }
  NamedStep operator()(const image::NormalizeStep& s) const {
    return make("normalize", s.mean[0], s.mean[1], s.mean[2], s.std[0], s.std[1], s.std[2]);
  }
  NamedStep operator()(const image::EraseStep& s) const {
    return make("erase", s.top, s.left, s.height, s.width, s.value[0], s.value[1], s.value[2],
                s.noise);
  }

 private:
  template <class... Values>
  static NamedStep make(const char* name, Values... values) {
    return {name, {static_cast<double>(values)...}};
  }
};

const image::PixelOp* find_op(const std::string& name) {
  for (const image::Transform& transform : image::all_transforms()) {
    for (const image::PixelOp* op : transform.ops) {
      if (name == op->name) {
        return op;
      }
    }
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("no step is called '{}'", name));
}

image::Step pixel_step(const NamedStep& named) {
  image::PixelStep step{.op = find_op(named.name)};
  if (named.values.size() != step.op->arguments.size()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} has {} values, expected {}", named.name, named.values.size(),
                            step.op->arguments.size()));
  }
  std::copy(named.values.begin(), named.values.end(), step.arguments.begin());
  return step;
}

}  // namespace

NamedStep named(const image::Step& step) {
  return std::visit(Namer{}, step);
}

image::Step step_of(const NamedStep& given) {
  const auto wants = [&](size_t count) {
    if (given.values.size() != count) {
      throw Error(ErrorCode::InvalidArgument, fmt::format("{} has {} values, expected {}",
                                                          given.name, given.values.size(), count));
    }
  };
  const auto number = [&](size_t i) { return static_cast<int32_t>(given.values[i]); };
  const auto real = [&](size_t i) { return static_cast<float>(given.values[i]); };
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(given.values[i]); };
  if (given.name == "crop") {
    wants(4);
    return image::CropStep{number(0), number(1), number(2), number(3)};
  }
  if (given.name == "resize") {
    wants(3);
    return image::ResizeStep{number(0), number(1), static_cast<image::Filter>(number(2))};
  }
  if (given.name == "flip") {
    wants(1);
    return image::FlipStep{number(0) != 0};
  }
  if (given.name == "pad") {
    wants(8);
    return image::PadStep{number(0),
                          number(1),
                          number(2),
                          number(3),
                          static_cast<image::PadMode>(number(4)),
                          {byte(5), byte(6), byte(7)}};
  }
  if (given.name == "to_tensor") {
    wants(1);
    return image::ToTensorStep{number(0) != 0};
  }
  if (given.name == "normalize") {
    wants(6);
    return image::NormalizeStep{{real(0), real(1), real(2)}, {real(3), real(4), real(5)}};
  }
  if (given.name == "erase") {
    wants(8);
    return image::EraseStep{
        number(0), number(1), number(2), number(3), {real(4), real(5), real(6)}, number(7) != 0};
  }
  return pixel_step(given);
}

}  // namespace stoker::pipeline
