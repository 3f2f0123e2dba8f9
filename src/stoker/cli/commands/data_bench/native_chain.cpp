// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_bench/native_chain.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "stoker/codec/decoders_registry.h"
#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/image/pixels.h"

namespace stoker::cli {
namespace {

constexpr float kMean[] = {0.485F, 0.456F, 0.406F};
constexpr float kStd[] = {0.229F, 0.224F, 0.225F};

std::unique_ptr<codec::DecoderState> jpeg_state() {
  for (const codec::Decoder& decoder : codec::all_decoders()) {
    if (decoder.id == "jpeg") {
      return decoder.make_state();
    }
  }
  throw Error(ErrorCode::Internal, "the JPEG decoder is not built in");
}

Region region_of(int32_t x, int32_t y, int32_t width, int32_t height) {
  return {.x0 = x, .y0 = y, .x1 = x + width, .y1 = y + height};
}

// What is left when ten random crops did not fit: the largest centred one of an allowed ratio.
Region central_crop(int32_t width, int32_t height) {
  const double ratio = static_cast<double>(width) / height;
  int32_t w = width;
  int32_t h = height;
  if (ratio < 3.0 / 4) {
    h = static_cast<int32_t>(std::lround(w / (3.0 / 4)));
  } else if (ratio > 4.0 / 3) {
    w = static_cast<int32_t>(std::lround(h * (4.0 / 3)));
  }
  return region_of((width - w) / 2, (height - h) / 2, w, h);
}

Region random_crop(int32_t width, int32_t height, Philox& draws) {
  const double area = static_cast<double>(width) * height;
  const auto log_ratio = static_cast<float>(std::log(4.0 / 3));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * draws.uniform(0.08F, 1);
    const double ratio = std::exp(draws.uniform(-log_ratio, log_ratio));
    const auto w = static_cast<int32_t>(std::lround(std::sqrt(target * ratio)));
    const auto h = static_cast<int32_t>(std::lround(std::sqrt(target / ratio)));
    if (w > 0 && w <= width && h > 0 && h <= height) {
      const auto y = static_cast<int32_t>(draws.below(static_cast<uint32_t>(height - h + 1)));
      const auto x = static_cast<int32_t>(draws.below(static_cast<uint32_t>(width - w + 1)));
      return region_of(x, y, w, h);
    }
  }
  return central_crop(width, height);
}

}  // namespace

pipeline::RenderPlan random_resized_crop(int32_t width, int32_t height, int32_t size,
                                         Philox& draws) {
  pipeline::RenderPlan plan;
  plan.crop = random_crop(width, height, draws);
  plan.resized = true;
  plan.out_width = size;
  plan.out_height = size;
  plan.window = region_of(0, 0, size, size);
  plan.mirror_x_after = draws.below(2) == 1;
  return plan;
}

NativeChain::NativeChain(int32_t size, uint64_t seed, uint32_t thread)
    : size_(size), draws_(seed, thread), header_(jpeg_state()) {
  const size_t plane = static_cast<size_t>(size) * static_cast<size_t>(size);
  pixels_.resize(3 * plane);
  tensor_.resize(3 * plane);
}

Status NativeChain::run(const std::string& path, StageTimes& times) {
  const int64_t begin = now_ns();
  Status status = read_file(path, bytes_);
  if (!status.ok()) {
    return status;
  }
  const int64_t read = now_ns();
  const Result<codec::ImageInfo> info = header_->read_info(bytes_);
  if (!info.ok()) {
    return info.status();
  }
  const pipeline::RenderPlan plan = random_resized_crop(info->width, info->height, size_, draws_);
  const int64_t planned = now_ns();
  pipeline::RenderTimes render;
  status = renderer_.render(bytes_, plan, pixels_.data(), render);
  if (!status.ok()) {
    return status;
  }
  const int64_t rendered = now_ns();
  const size_t plane = static_cast<size_t>(size_) * static_cast<size_t>(size_);
  image::to_tensor(pixels_.data(), size_, size_, 3, tensor_.data());
  image::normalize(tensor_.data(), 3, plane, kMean, kStd, tensor_.data());
  times[0] += read - begin;
  times[1] += planned - read + render.decode_ns;
  times[2] += render.transform_ns;
  times[3] += now_ns() - rendered;
  return {};
}

NativeBench::NativeBench(std::vector<std::string> files, int32_t size, int threads, uint64_t seed)
    : files_(std::move(files)) {
  for (int thread = 0; thread < threads; ++thread) {
    chains_.push_back(std::make_unique<NativeChain>(size, seed, static_cast<uint32_t>(thread)));
  }
}

NativeBlock NativeBench::run_block(double seconds) {
  std::vector<NativeBlock> parts(chains_.size());
  std::vector<Status> last_failures(chains_.size());
  const int64_t begin_ns = now_ns();
  const int64_t end_ns = begin_ns + static_cast<int64_t>(seconds * 1e9);
  const auto loop = [&](size_t thread) {
    NativeChain& chain = *chains_[thread];
    NativeBlock& part = parts[thread];
    while (now_ns() < end_ns) {
      Status status = chain.run(files_[chain.pick(files_.size())], part.times);
      (status.ok() ? part.samples : part.skipped) += 1;
      if (!status.ok()) {
        last_failures[thread] = std::move(status);
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(chains_.size());
    for (size_t thread = 0; thread < chains_.size(); ++thread) {
      threads.emplace_back(loop, thread);
    }
  }
  NativeBlock whole;
  whole.seconds = static_cast<double>(now_ns() - begin_ns) * 1e-9;
  for (const NativeBlock& part : parts) {
    whole.samples += part.samples;
    whole.skipped += part.skipped;
    for (size_t stage = 0; stage < whole.times.size(); ++stage) {
      whole.times[stage] += part.times[stage];
    }
  }
  if (whole.samples == 0) {
    throw Error(ErrorCode::InvalidArgument,
                "the native decoder takes none of these files: " + last_failures[0].to_string(),
                "it takes single-scan baseline JPEGs");
  }
  return whole;
}

}  // namespace stoker::cli
