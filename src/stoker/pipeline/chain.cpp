// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stoker/core/error.h"
#include "stoker/image/transforms_registry.h"

namespace stoker::pipeline {
namespace {

using image::Stage;

std::unique_ptr<image::Operation> make_operation(const image::Transform& transform,
                                                 const TransformSpec& spec) {
  const Result<ParamMap> params = parse_params(transform.params, spec.params);
  if (!params.ok()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}: {}", spec.name, params.status().message()));
  }
  try {
    return transform.make(*params);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", spec.name, error.what()), error.hint());
  }
}

bool is_value_step(const image::Step& step) {
  return std::holds_alternative<image::ToTensorStep>(step) ||
         std::holds_alternative<image::NormalizeStep>(step);
}

}  // namespace

image::Transform find_transform(const std::string& name) {
  std::vector<std::string> names;
  for (image::Transform& transform : image::all_transforms()) {
    if (transform.name == name) {
      return std::move(transform);
    }
    names.push_back(transform.name);
  }
  std::sort(names.begin(), names.end());
  throw Error(ErrorCode::InvalidArgument, fmt::format("no transform is called '{}'", name),
              fmt::format("there are {}", fmt::join(names, ", ")));
}

Chain::Chain(const std::vector<TransformSpec>& specs) {
  if (specs.size() >= image::Draws::kMaxOperations) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("{} transforms", specs.size()));
  }
  std::vector<Stage> stages;
  for (const TransformSpec& spec : specs) {
    const image::Transform transform = find_transform(spec.name);
    operations_.push_back(make_operation(transform, spec));
    stages.push_back(transform.stage);
  }
  check_order(stages, specs);
  find_out_size();
}

void Chain::check_order(const std::vector<Stage>& stages,
                        const std::vector<TransformSpec>& specs) const {
  bool numbers = false;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (numbers && stages[i] == Stage::Image) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("{} comes after the image has become a tensor", specs[i].name),
                  "put it before ToTensor or PILToTensor: there it is exact");
    }
    if (!numbers && stages[i] == Stage::Tensor) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("{} comes before the image has become a tensor", specs[i].name),
                  "put ToTensor() before it");
    }
    numbers = numbers || stages[i] == Stage::ToTensor;
  }
}

// Sizes and draws that no chain treats alike unless it gives one size to all.
void Chain::find_out_size() {
  constexpr int32_t kSizes[][2] = {{500, 375}, {375, 500}, {41, 67}, {1200, 90}, {7, 7}};
  std::vector<image::Step> steps;
  for (const auto& [from_width, from_height] : kSizes) {
    for (uint64_t sample = 0; sample < 4; ++sample) {
      int32_t width = from_width;
      int32_t height = from_height;
      steps.clear();
      for (size_t i = 0; i < operations_.size(); ++i) {
        image::Draws draws(0, 0, sample, static_cast<uint32_t>(i));
        operations_[i]->plan(draws, width, height, steps);
      }
      if (out_width_ == 0) {
        out_width_ = width;
        out_height_ = height;
        std::copy_if(steps.begin(), steps.end(), std::back_inserter(value_steps_), is_value_step);
      } else if (width != out_width_ || height != out_height_) {
        throw Error(ErrorCode::InvalidArgument, "samples would have different sizes",
                    "end with a transform that gives one size: Resize((224, 224)), "
                    "CenterCrop(224) or RandomResizedCrop(224)");
      }
    }
  }
}

void Chain::plan(uint64_t seed, uint32_t epoch, uint64_t sample, int32_t width, int32_t height,
                 std::vector<image::Step>& steps) const {
  steps.clear();
  for (size_t i = 0; i < operations_.size(); ++i) {
    image::Draws draws(seed, epoch, sample, static_cast<uint32_t>(i));
    operations_[i]->plan(draws, width, height, steps);
  }
}

bool Chain::makes_fractions() const {
  return std::any_of(value_steps_.begin(), value_steps_.end(), [](const image::Step& step) {
    const auto* to_tensor = std::get_if<image::ToTensorStep>(&step);
    return to_tensor == nullptr || to_tensor->scale;
  });
}

}  // namespace stoker::pipeline
