// SPDX-License-Identifier: Apache-2.0
// Writing finished samples of 224 x 224 into batches larger than the caches.
#include <benchmark/benchmark.h>

#include <vector>

#include "stoker/core/block_pool.h"
#include "stoker/pipeline/output.h"

namespace stoker::pipeline {
namespace {

constexpr int32_t kSide = 224;
constexpr size_t kBatch = 256;

void write_samples(benchmark::State& state, Dtype dtype, Layout layout) {
  const std::vector<image::Step> steps = {
      image::ToTensorStep{}, image::NormalizeStep{{0.485F, 0.456F, 0.406F}, {0.2F, 0.2F, 0.2F}}};
  const OutputWriter writer(dtype, layout,
                            dtype == Dtype::Uint8 ? std::span<const image::Step>() : steps);
  std::vector<uint8_t> pixels(static_cast<size_t>(kSide) * kSide * 4);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 7);
  }
  const ImageView view{pixels.data(), kSide, kSide, 4, static_cast<size_t>(kSide) * 4};
  const size_t bytes = writer.sample_bytes(kSide, kSide);
  BlockPool pool(1);
  auto* batch = static_cast<uint8_t*>(pool.take(bytes * kBatch));
  size_t row = 0;
  while (state.KeepRunning()) {
    writer.write(view, steps, batch + row * bytes);
    row = (row + 1) % kBatch;
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
  pool.give_back(batch, bytes * kBatch);
}

BENCHMARK_CAPTURE(write_samples, float32_nchw, Dtype::Float32, Layout::Nchw);
BENCHMARK_CAPTURE(write_samples, float32_nhwc, Dtype::Float32, Layout::Nhwc);
BENCHMARK_CAPTURE(write_samples, bfloat16_nchw, Dtype::Bfloat16, Layout::Nchw);
BENCHMARK_CAPTURE(write_samples, uint8_nchw, Dtype::Uint8, Layout::Nchw);

}  // namespace
}  // namespace stoker::pipeline
