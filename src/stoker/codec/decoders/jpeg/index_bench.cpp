// SPDX-License-Identifier: Apache-2.0
// Regions as RandomResizedCrop draws them, with and without an index, one after the other. Photos
// come from the folder STOKER_BENCH_PHOTOS; without it from an encoder, which says little.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/small_jpeg.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using Data = std::vector<uint8_t>;

std::vector<Data> load_photos() {
  std::vector<Data> photos;
  const char* folder = std::getenv("STOKER_BENCH_PHOTOS");
  if (folder == nullptr) {
    testing::JpegSpec spec;
    spec.width = 500;
    spec.height = 375;
    spec.quality = 80;
    photos.push_back(testing::encode(spec));
    return photos;
  }
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".jpg") {
      std::ifstream in(file.path(), std::ios::binary);
      photos.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  }
  return photos;
}

const std::vector<Data>& photos() {
  static const std::vector<Data> all = load_photos();
  return all;
}

Region random_resized_crop(std::mt19937& random, int32_t width, int32_t height) {
  std::uniform_real_distribution<double> scale(0.08, 1.0);
  std::uniform_real_distribution<double> log_ratio(std::log(3.0 / 4), std::log(4.0 / 3));
  for (int i = 0; i < 10; ++i) {
    const double area = width * height * scale(random);
    const double ratio = std::exp(log_ratio(random));
    const auto w = static_cast<int32_t>(std::lround(std::sqrt(area * ratio)));
    const auto h = static_cast<int32_t>(std::lround(std::sqrt(area / ratio)));
    if (w > 0 && h > 0 && w <= width && h <= height) {
      const auto x = static_cast<int32_t>(random() % static_cast<uint32_t>(width - w + 1));
      const auto y = static_cast<int32_t>(random() % static_cast<uint32_t>(height - h + 1));
      return {x, y, x + w, y + h};
    }
  }
  return {0, 0, width, height};
}

double now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

// Header and region of one photo; its time in µs, negative after a failure.
double decode_us(DecoderState& decoder, const Data& data, Bytes index, const Region& r,
                 std::vector<uint8_t>& pixels) {
  const size_t row = static_cast<size_t>(r.width()) * 4;
  const ImageView out{pixels.data(), r.width(), r.height(), 4, row};
  const double begin = now_us();
  const bool ok = decoder.read_info_indexed(data, index).ok() &&
                  decoder.decode(data, {r, PixelFormat::Rgbx, index}, out).ok();
  return ok ? now_us() - begin : -1;
}

void bench_regions(benchmark::State& state) {
  std::vector<Data> indices(photos().size());
  for (size_t i = 0; i < photos().size(); ++i) {
    if (!make_jpeg_index(photos()[i], static_cast<int32_t>(state.range(0)), indices[i]).ok()) {
      state.SkipWithError("a photo cannot be indexed");
      return;
    }
  }
  const auto decoder = all_decoders().at(0).make_state();
  std::vector<uint8_t> pixels;
  std::mt19937 random(1);
  double plain_us = 0;
  double indexed_us = 0;
  size_t i = 0;
  while (state.KeepRunning()) {
    const Data& photo = photos()[i];
    const Result<ImageInfo> info = decoder->read_info(photo);
    if (!info.ok()) {
      state.SkipWithError("a photo does not decode");
      return;
    }
    const Region r = random_resized_crop(random, info->width, info->height);
    pixels.resize(static_cast<size_t>(info->width) * static_cast<size_t>(info->height) * 4);
    plain_us += decode_us(*decoder, photo, {}, r, pixels);
    indexed_us += decode_us(*decoder, photo, indices[i], r, pixels);
    i = (i + 1) % photos().size();
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["plain_us"] = plain_us / count;
  state.counters["indexed_us"] = indexed_us / count;
  state.counters["ratio"] = plain_us / indexed_us;
}
BENCHMARK(bench_regions)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);

// What is done before libjpeg sees anything.
void bench_build(benchmark::State& state) {
  Data index;
  const Data& photo = photos().front();
  jpeg::SmallJpeg small;
  if (!make_jpeg_index(photo, kDefaultIndexColumns, index).ok()) {
    state.SkipWithError("the photo cannot be indexed");
    return;
  }
  const Region r{80, 60, 300, 300};
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(small.open(photo, index) && (state.range(0) == 0 || small.build(r)));
  }
}
BENCHMARK(bench_build)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void bench_make_index(benchmark::State& state) {
  Data index;
  size_t i = 0;
  size_t bytes = 0;
  while (state.KeepRunning()) {
    if (!make_jpeg_index(photos()[i], static_cast<int32_t>(state.range(0)), index).ok()) {
      state.SkipWithError("a photo cannot be indexed");
      return;
    }
    bytes += index.size();
    i = (i + 1) % photos().size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["entry_bytes"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(bench_make_index)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stoker::codec
