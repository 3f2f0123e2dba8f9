// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/file_check.h"

#include <fmt/format.h>

#include <utility>

#include "stoker/core/hash.h"

namespace stoker::scan {
namespace {

constexpr int64_t kMostPixels = 89'478'485;  // Pillow warns of more, and may refuse

}  // namespace

PixelSums sums_of(const ImageView& rgbx) {
  PixelSums sums;
  sums.pixels = static_cast<uint64_t>(rgbx.width) * static_cast<uint64_t>(rgbx.height);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* pixel = rgbx.row(y);
    // A row has at most 65,535 pixels, so that 32 bits hold its sums, and 64 those of its squares.
    std::array<uint32_t, 3> values{};
    std::array<uint64_t, 3> squares{};
    for (int32_t x = 0; x < rgbx.width; ++x, pixel += 4) {
      for (size_t channel = 0; channel < 3; ++channel) {
        const uint32_t value = pixel[channel];
        values[channel] += value;
        squares[channel] += uint64_t{value} * value;
      }
    }
    for (size_t channel = 0; channel < 3; ++channel) {
      sums.values[channel] += values[channel];
      sums.squares[channel] += squares[channel];
    }
  }
  return sums;
}

FileFacts FileCheck::check(int64_t sample, bool with_sums) {
  FileFacts facts;
  if (Status status = source_.read(sample, bytes_); !status.ok()) {
    facts.reason = status.message();
    return facts;
  }
  facts.readable = true;
  facts.bytes = static_cast<int64_t>(bytes_.size());
  facts.hash = hash_of(std::span<const uint8_t>(bytes_));
  facts.format = image_format(bytes_);
  facts.indexed = source_.read_index(sample, entry_).ok() && !entry_.empty();
  const Status status = decode(facts.image, with_sums);
  if (status.ok()) {
    facts.verdict = Verdict::Native;
  } else {
    ask_reference(status, with_sums, facts);
  }
  return facts;
}

Status FileCheck::decode(ImageFacts& facts, bool with_sums) {
  const Result<codec::ImageInfo> info = renderer_.open(bytes_);
  if (!info.ok()) {
    return info.status();
  }
  facts = {info->width, info->height, info->channels, info->progressive, {}};
  if (int64_t{info->width} * info->height > kMostPixels) {
    return {ErrorCode::TooLarge, "so many pixels that Pillow warns or refuses"};
  }
  pipeline::RenderPlan plan;
  plan.crop = plan.window = {0, 0, info->width, info->height};
  pipeline::RenderTimes ignored;
  const Result<ImageView> pixels = renderer_.render_rgbx(plan, ignored);
  if (pixels.ok() && with_sums) {
    facts.sums = sums_of(*pixels);
  }
  return pixels.status();
}

void FileCheck::ask_reference(const Status& refusal, bool with_sums, FileFacts& facts) {
  if (!std::exchange(asked_, true)) {
    reference_ = make_reference_();
  }
  facts.verdict = Verdict::Unjudged;
  facts.reason = fmt::format("{}: {}", image_format_name(facts.format), refusal.message());
  if (reference_ == nullptr) {
    return;
  }
  Result<ImageFacts> judged = reference_->judge(bytes_, with_sums);
  if (judged.ok()) {
    const bool progressive = facts.image.progressive;
    facts.verdict = Verdict::Pillow;
    facts.image = *judged;
    facts.image.progressive = facts.image.progressive || progressive;
  } else if (judged.status().code() == ErrorCode::Internal) {
    reference_.reset();  // it has ended: the next file asks for another one
    asked_ = false;
  } else {
    facts.verdict = Verdict::Broken;
    facts.reason = judged.status().message();
  }
}

}  // namespace stoker::scan
