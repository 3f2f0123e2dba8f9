// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <vector>

#include "stoker/image/kernels/target.h"
#include "stoker/image/resample.h"

namespace stoker::image {
namespace {

// Arguments: target, filter, width, height, output size (square).
void bench_resize(benchmark::State& state) {
  const auto target = static_cast<SimdTarget>(state.range(0));
  const auto filter = static_cast<Filter>(state.range(1));
  const auto width = static_cast<int32_t>(state.range(2));
  const auto height = static_cast<int32_t>(state.range(3));
  const auto size = static_cast<int32_t>(state.range(4));
  const SimdTarget best = supported_targets().back();
  if (target > best) {
    state.SkipWithError("this CPU lacks the target");
    return;
  }
  const size_t stride = static_cast<size_t>(width) * 4;
  std::vector<uint8_t> source(stride * static_cast<size_t>(height) + 64);
  for (size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<uint8_t>(i * 131 + i / 7);
  }
  std::vector<uint8_t> pixels(static_cast<size_t>(size) * static_cast<size_t>(size) * 4);
  const ImageView in{source.data(), width, height, 4, stride};
  const ImageView out{pixels.data(), size, size, 4, static_cast<size_t>(size) * 4};
  ResampleScratch scratch;
  force_target(target);
  while (state.KeepRunning()) {
    const Status status =
        resize(in, size, size, filter, PassOrder::ByCost, {0, 0, size, size}, out, scratch);
    benchmark::DoNotOptimize(status.ok());
  }
  force_target(best);
  state.SetLabel(name_of(target));
}

BENCHMARK(bench_resize)
    ->ArgNames({"target", "filter", "width", "height", "size"})
    ->ArgsProduct({{0, 1, 2, 3}, {2}, {375}, {250}, {224}})
    ->ArgsProduct({{3}, {2}, {100, 1500}, {150, 1000}, {224}})
    ->ArgsProduct({{3}, {0, 1, 3, 4, 5}, {375}, {250}, {224}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stoker::image
