// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

// 500 x 375 at 4:2:0: the usual size of a photo in a training set.
std::vector<uint8_t> photo() {
  testing::JpegSpec spec;
  spec.width = 500;
  spec.height = 375;
  spec.quality = 80;
  return testing::encode(spec);
}

void bench_decode(benchmark::State& state, const Region& region) {
  const std::vector<uint8_t> data = photo();
  const auto decoder = all_decoders().at(0).make_state();
  std::vector<uint8_t> pixels(static_cast<size_t>(region.width()) *
                              static_cast<size_t>(region.height()) * 4);
  const ImageView out{pixels.data(), region.width(), region.height(), 4,
                      static_cast<size_t>(region.width()) * 4};
  while (state.KeepRunning()) {
    const bool ok = decoder->read_info(data).ok() &&
                    decoder->decode(data, {region, PixelFormat::Rgbx}, out).ok();
    if (!ok) {
      state.SkipWithError("the photo does not decode");
      break;
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(data.size()));
}

BENCHMARK_CAPTURE(bench_decode, whole, Region{0, 0, 500, 375})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bench_decode, centre, Region{86, 64, 414, 311})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bench_decode, top_left, Region{0, 0, 328, 247})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bench_decode, bottom_right, Region{172, 128, 500, 375})
    ->Unit(benchmark::kMicrosecond);

void bench_is_clean(benchmark::State& state) {
  const std::vector<uint8_t> data = photo();
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(jpeg::is_clean(data));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(data.size()));
}
BENCHMARK(bench_is_clean)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stoker::codec
