// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stoker/core/error.h"
#include "stoker/pipeline/epoch_plan.h"
#include "stoker/pipeline/render.h"
#include "stoker/pipeline/sample_maker.h"
#include "stoker/scan/tiny_font.h"

namespace stoker::scan {
namespace {

constexpr int32_t kMargin = 4;  // pixels around a cell
constexpr int32_t kLines = 2;   // of text below a sample
constexpr uint8_t kGround = 24, kLetters = 224;
constexpr std::array<uint8_t, 3> kRed = {176, 32, 32};
constexpr int64_t kMostPixels = 100'000'000;
constexpr int32_t kLargeTextWidth = 160;  // samples that wide have letters of two pixels a dot

std::vector<image::Step> value_steps_of(const pipeline::Chain& chain) {
  std::vector<image::Step> steps = chain.value_steps();
  if (steps.empty()) {
    steps.emplace_back(image::ToTensorStep{.scale = true});
  }
  return steps;
}

// The byte that a value of a sample was before the steps, or would have been.
uint8_t byte_of(std::span<const image::Step> steps, size_t channel, float value) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (const auto* normalize = std::get_if<image::NormalizeStep>(&*step)) {
      value = value * normalize->std[channel] + normalize->mean[channel];
    } else if (const auto* to_tensor = std::get_if<image::ToTensorStep>(&*step)) {
      value *= to_tensor->scale ? 255.0F : 1.0F;
    }
  }
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
}

class SheetMaker {
 public:
  SheetMaker(const io::Source& source, const SheetOptions& options)
      : source_(source),
        options_(options),
        chain_(options.transforms),
        value_steps_(value_steps_of(chain_)),
        writer_(pipeline::Dtype::Float32, pipeline::Layout::Nhwc, value_steps_),
        maker_(chain_, writer_, image::PassOrder::ByCost),
        dot_(chain_.out_width() >= kLargeTextWidth ? 2 : 1) {}

  ContactSheet run() {
    pipeline::EpochOptions epoch{.samples = source_.count(),
                                 .batch_size = std::min(options_.images, source_.count()),
                                 .shuffle = options_.shuffle,
                                 .seed = options_.seed};
    const pipeline::EpochPlan plan(epoch, options_.epoch, 0);
    make_ground(epoch.batch_size);
    values_.resize(static_cast<size_t>(sheet_.sample_width) *
                   static_cast<size_t>(sheet_.sample_height) * 3);
    for (int64_t row = 0; row < epoch.batch_size; ++row) {
      sheet_.cells.push_back(make(plan.sample(0, row)));
      draw(sheet_.cells.back(), static_cast<int32_t>(row));
    }
    return std::move(sheet_);
  }

 private:
  int32_t cell_width() const { return chain_.out_width() + kMargin; }
  int32_t line_height() const { return (kGlyphRows + 2) * dot_; }
  int32_t cell_height() const { return chain_.out_height() + kLines * line_height() + kMargin; }

  void make_ground(int64_t cells) {
    const int64_t columns = std::min<int64_t>(options_.columns, cells);
    const int64_t width = columns * cell_width() + kMargin;
    const int64_t height = (cells + columns - 1) / columns * cell_height() + kMargin;
    if (width * height > kMostPixels) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("a sheet of {} x {} pixels is too large", width, height),
                  "show fewer images, or end the transforms with a smaller size");
    }
    sheet_.sample_width = chain_.out_width();
    sheet_.sample_height = chain_.out_height();
    sheet_.width = static_cast<int32_t>(width);
    sheet_.height = static_cast<int32_t>(height);
    sheet_.pixels.assign(static_cast<size_t>(width * height) * 3, kGround);
  }

  SheetCell make(int64_t sample) {
    SheetCell cell;
    cell.sample = sample;
    cell.label = source_.label(sample);
    cell.name = source_.name(sample);
    const auto at = static_cast<size_t>(cell.label);
    cell.class_name = cell.label >= 0 && at < source_.classes().size()
                          ? source_.classes()[at]
                          : fmt::format("{}", cell.label);
    cell.status = source_.read(sample, bytes_);
    if (!cell.status.ok()) {
      return cell;
    }
    const pipeline::SampleKey key{options_.seed, options_.epoch, static_cast<uint64_t>(sample)};
    pipeline::SampleTimes ignored;
    cell.status = maker_.make(bytes_, {}, key, values_.data(), ignored);
    cell.native = cell.status.ok();
    if (cell.native) {
      const Result<codec::ImageInfo> info = renderer_.open(bytes_);
      note_steps(cell, info->width, info->height);
    } else {
      make_by_reference(cell, key);
    }
    return cell;
  }

  void make_by_reference(SheetCell& cell, const pipeline::SampleKey& key) {
    if (!reference_) {
      reference_ = options_.make_reference();
    }
    if (!reference_) {
      return;
    }
    const Result<ImageFacts> facts = reference_->decode(bytes_, rgb_);
    cell.status = facts.status();
    if (!facts.ok()) {
      return;
    }
    const ImageView pixels{rgb_.data(), facts->width, facts->height, 3,
                           static_cast<size_t>(facts->width) * 3};
    pipeline::SampleTimes ignored;
    cell.status = maker_.make_from_pixels(pixels, key, values_.data(), ignored);
    note_steps(cell, facts->width, facts->height);
  }

  void note_steps(SheetCell& cell, int32_t width, int32_t height) {
    chain_.plan(options_.seed, options_.epoch, static_cast<uint64_t>(cell.sample), width, height,
                steps_);
    for (const image::Step& step : steps_) {
      cell.steps.push_back(pipeline::named(step));
    }
  }

  void draw(const SheetCell& cell, int32_t number) {
    const ImageView sheet = sheet_.view();
    const int32_t left = number % options_.columns * cell_width() + kMargin;
    const int32_t top = number / options_.columns * cell_height() + kMargin;
    const float* value = values_.data();
    for (int32_t y = 0; y < sheet_.sample_height; ++y) {
      uint8_t* out = sheet.row(top + y) + static_cast<ptrdiff_t>(left) * 3;
      for (int32_t x = 0; x < sheet_.sample_width * 3; ++x, ++value) {
        const auto channel = static_cast<size_t>(x % 3);
        out[x] = cell.status.ok() ? byte_of(value_steps_, channel, *value) : kRed[channel];
      }
    }
    const std::string file = cell.name.substr(cell.name.find_last_of("/ ") + 1);
    const int32_t below = top + sheet_.sample_height + dot_;
    draw_text(sheet, left, below, dot_, kLetters,
              fit_text(cell.class_name, sheet_.sample_width, dot_));
    draw_text(sheet, left, below + line_height(), dot_, kLetters,
              fit_text(file, sheet_.sample_width, dot_));
  }

  const io::Source& source_;
  const SheetOptions& options_;
  pipeline::Chain chain_;
  std::vector<image::Step> value_steps_, steps_;
  pipeline::OutputWriter writer_;
  pipeline::SampleMaker maker_;
  pipeline::Renderer renderer_;
  int32_t dot_;
  std::unique_ptr<Reference> reference_;
  std::vector<uint8_t> bytes_, rgb_;
  std::vector<float> values_;
  ContactSheet sheet_;
};

}  // namespace

ContactSheet make_contact_sheet(const io::Source& source, const SheetOptions& options) {
  return SheetMaker(source, options).run();
}

}  // namespace stoker::scan
