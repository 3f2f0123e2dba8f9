// SPDX-License-Identifier: Apache-2.0
// Mean colour of the samples that a training would see: the data engine without Python.
//   mean_colour FOLDER
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "stoker/core/error.h"
#include "stoker/io/open_source.h"
#include "stoker/pipeline/loader.h"

namespace {

using namespace stoker;

constexpr int64_t kBatch = 16;

struct Memory {
  explicit Memory(size_t values) : images(kBatch * values), labels(kBatch), samples(kBatch) {}
  std::vector<float> images;
  std::vector<int64_t> labels, samples;
};

void run(const char* folder) {
  pipeline::Loader loader(
      io::open_source(folder),
      {{"RandomResizedCrop", {{"size", "224"}}}, {"RandomHorizontalFlip", {}}, {"ToTensor", {}}},
      {.epoch = {.batch_size = kBatch}, .layout = pipeline::Layout::Nhwc});
  const auto pixels =
      static_cast<size_t>(loader.out_width()) * static_cast<size_t>(loader.out_height());
  // Two batches are under way at any time, in memory of ours.
  std::vector<Memory> memory(2, Memory(3 * pixels));
  const int64_t batches = loader.plan().batches();
  double sums[3] = {};
  int64_t count = 0;
  for (int64_t ask = 0, take = 0; take < batches; ++take) {
    for (; ask < batches && ask < take + 2; ++ask) {
      Memory& lent = memory[static_cast<size_t>(ask % 2)];
      loader.lend(lent.images.data(), lent.labels.data(), lent.samples.data());
    }
    const auto batch = loader.next(60'000);
    if (!batch || !batch->missing.empty()) {
      throw Error(ErrorCode::Corrupt, batch ? batch->errors[0].name : "no batch in a minute");
    }
    const std::vector<float>& images = memory[static_cast<size_t>(take % 2)].images;
    for (size_t i = 0; i < static_cast<size_t>(batch->rows) * pixels * 3; ++i) {
      sums[i % 3] += static_cast<double>(images[i]);
    }
    count += batch->rows;
  }
  const double values = static_cast<double>(count) * static_cast<double>(pixels);
  std::printf("%lld samples, mean red %.3f, green %.3f, blue %.3f\n", static_cast<long long>(count),
              sums[0] / values, sums[1] / values, sums[2] / values);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mean_colour FOLDER\n");
    return 2;
  }
  try {
    run(argv[1]);
  } catch (const stoker::Error& error) {
    std::fprintf(stderr, "%s; %s\n", error.what(), error.hint().c_str());
    return 1;
  }
  return 0;
}
