// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/core/rng.h"
#include "stoker/pipeline/render.h"

namespace stoker::cli {

// Parts of the work on one sample, in order.
inline constexpr std::array<const char*, 4> kChainStages = {"read", "decode", "transform",
                                                            "to_tensor"};
using StageTimes = std::array<int64_t, kChainStages.size()>;  // in ns

// The plan of torchvision's RandomResizedCrop with its default scale and ratio, then a random
// mirror: the same distribution, not the same random stream.
pipeline::RenderPlan random_resized_crop(int32_t width, int32_t height, int32_t size,
                                         Philox& draws);

// Read, decode, resize, mirror, to float, normalise: what a training sample costs. One thread.
class NativeChain {
 public:
  NativeChain(int32_t size, uint64_t seed, uint32_t thread);

  // Fails when the native decoder leaves the file to another one.
  Status run(const std::string& path, StageTimes& times);
  // The next file of a random order.
  size_t pick(size_t count) { return draws_.below(static_cast<uint32_t>(count)); }

 private:
  int32_t size_;
  Philox draws_;
  std::unique_ptr<codec::DecoderState> header_;
  pipeline::Renderer renderer_;
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> pixels_;
  std::vector<float> tensor_;
};

struct NativeBlock {
  int64_t samples = 0;
  int64_t skipped = 0;
  double seconds = 0;
  StageTimes times{};
};

// All threads for `seconds`; states are made once and kept. Throws Error when no file works.
class NativeBench {
 public:
  NativeBench(std::vector<std::string> files, int32_t size, int threads, uint64_t seed);
  NativeBlock run_block(double seconds);

 private:
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<NativeChain>> chains_;
};

}  // namespace stoker::cli
