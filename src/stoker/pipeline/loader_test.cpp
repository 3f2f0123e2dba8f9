// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/core/error.h"
#include "stoker/pipeline/testing/memory_source.h"

namespace stoker::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kForeverMs = 60'000;
constexpr size_t kSide = 16;
constexpr size_t kValues = 3 * kSide * kSide;

std::vector<std::vector<uint8_t>> jpegs(size_t count) {
  std::vector<std::vector<uint8_t>> files;
  files.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    files.push_back(codec::testing::encode({.width = 40 + static_cast<int>(i % 5),
                                            .height = 30 + static_cast<int>(i % 3),
                                            .seed = static_cast<uint32_t>(i)}));
  }
  return files;
}

std::vector<TransformSpec> transforms() {
  return {{"RandomResizedCrop", {{"size", "16"}}}, {"RandomHorizontalFlip", {}}, {"ToTensor", {}}};
}

// Everything that a loader gave, in order.
struct Delivered {
  std::vector<float> images;
  std::vector<int64_t> labels, samples, missing;
  bool operator==(const Delivered&) const = default;
};

// Runs what is left of an epoch with `ahead` batches lent; stops after `most` batches.
Delivered run(Loader& loader, int64_t ahead = 2, int64_t most = 1'000'000) {
  Delivered all;
  const int64_t count = loader.plan().batches();
  struct Memory {
    std::vector<float> images;
    std::vector<int64_t> labels, samples;
  };
  std::vector<std::unique_ptr<Memory>> lent;
  for (int64_t batch = 0; batch < std::min(count, most); ++batch) {
    while (static_cast<int64_t>(lent.size()) < std::min(count, batch + ahead)) {
      const auto rows =
          static_cast<size_t>(loader.plan().batch_samples(static_cast<int64_t>(lent.size())));
      lent.push_back(
          std::make_unique<Memory>(Memory{std::vector<float>(rows * kValues),
                                          std::vector<int64_t>(rows), std::vector<int64_t>(rows)}));
      loader.lend(lent.back()->images.data(), lent.back()->labels.data(),
                  lent.back()->samples.data());
    }
    const std::optional<FinishedBatch> finished = loader.next(kForeverMs);
    EXPECT_TRUE(finished.has_value());
    const Memory& memory = *lent[static_cast<size_t>(batch)];
    all.images.insert(all.images.end(), memory.images.begin(), memory.images.end());
    all.labels.insert(all.labels.end(), memory.labels.begin(), memory.labels.end());
    all.samples.insert(all.samples.end(), memory.samples.begin(), memory.samples.end());
    all.missing.insert(all.missing.end(), finished->missing.begin(), finished->missing.end());
  }
  return all;
}

TEST(Loader, SameBytesForAnyThreadsAndPrefetch) {
  const auto source = std::make_shared<MemorySource>(jpegs(23));
  LoaderOptions options{.epoch = {.batch_size = 4, .seed = 3}, .threads = 1};
  Loader one(source, transforms(), options);
  const Delivered expected = run(one, 1);
  EXPECT_EQ(expected.labels.size(), 23U);
  for (size_t i = 0; i < expected.samples.size(); ++i) {
    EXPECT_EQ(expected.labels[i], expected.samples[i] * 10);
  }
  for (const int32_t threads : {2, 7}) {
    options.threads = threads;
    Loader loader(source, transforms(), options);
    EXPECT_EQ(run(loader, threads), expected) << threads << " threads";
  }
  options.threads = 0;
  Loader automatic(source, transforms(), options);
  EXPECT_EQ(run(automatic, 5), expected);
}

TEST(Loader, SlowReadsAreMadeAheadAndChangeNothing) {
  std::vector<std::vector<uint8_t>> files = jpegs(60);
  const LoaderOptions options{.epoch = {.batch_size = 4, .seed = 3}, .threads = 2};
  Loader fast(std::make_shared<MemorySource>(files), transforms(), options);
  Loader slow(std::make_shared<MemorySource>(files, 2000), transforms(), options);
  EXPECT_EQ(run(slow), run(fast));
  EXPECT_FALSE(fast.stats().reads_ahead);
  EXPECT_TRUE(slow.stats().reads_ahead);
  slow.begin_epoch(0, 8);
  EXPECT_EQ(run(slow, 3).samples.size(), 52U);
}

TEST(Loader, EpochsDifferAndComeAgain) {
  const auto source = std::make_shared<MemorySource>(jpegs(9));
  Loader loader(source, transforms(), {.epoch = {.batch_size = 2}, .threads = 2});
  const Delivered first = run(loader);
  loader.begin_epoch(1, 0);
  const Delivered second = run(loader);
  EXPECT_NE(first, second);
  loader.begin_epoch(0, 0);
  EXPECT_EQ(run(loader), first);
  loader.begin_epoch(0, 4);
  Delivered rest = run(loader);
  EXPECT_EQ(rest.samples, std::vector<int64_t>(first.samples.begin() + 4, first.samples.end()));
  EXPECT_EQ(rest.images,
            std::vector<float>(first.images.begin() + 4 * kValues, first.images.end()));
}

TEST(Loader, BadSamplesAreReportedWithTheirRow) {
  std::vector<std::vector<uint8_t>> files = jpegs(6);
  files[2].clear();
  files[3] = {1, 2, 3};
  Loader loader(
      std::make_shared<MemorySource>(files), transforms(),
      {.epoch = {.batch_size = 6, .shuffle = false}, .threads = 2, .on_error = OnError::Skip});
  std::vector<float> images(6 * kValues);
  std::vector<int64_t> numbers(12);
  loader.lend(images.data(), numbers.data(), numbers.data() + 6);
  const std::optional<FinishedBatch> batch = loader.next(kForeverMs);
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->errors.size(), 2U);
  std::map<int64_t, std::string> reasons;
  for (const SampleError& error : batch->errors) {
    reasons[error.row] = error.name + ": " + error.status.message();
  }
  EXPECT_THAT(batch->missing, ::testing::UnorderedElementsAre(2, 3));
  EXPECT_EQ(reasons[2], "file-2: no such file");
  EXPECT_EQ(reasons[3], "file-3: no decoder knows these data");
}

TEST(Loader, ReplaceTakesTheNextGoodSampleOfTheOrder) {
  std::vector<std::vector<uint8_t>> files = jpegs(6);
  files[2].clear();
  files[3].clear();
  files[5].clear();
  for (const int32_t threads : {1, 3}) {
    Loader loader(std::make_shared<MemorySource>(files), transforms(),
                  {.epoch = {.batch_size = 3, .shuffle = false},
                   .threads = threads,
                   .on_error = OnError::Replace});
    EXPECT_THAT(run(loader).samples, ElementsAre(0, 1, 4, 4, 4, 0));
    EXPECT_EQ(loader.stats().errors, 4);
  }
}

TEST(Loader, WhenNoSampleIsGoodReplaceGivesUp) {
  Loader loader(std::make_shared<MemorySource>(std::vector<std::vector<uint8_t>>(4)), transforms(),
                {.epoch = {.batch_size = 1}, .threads = 2, .on_error = OnError::Replace});
  EXPECT_THAT(run(loader, 1, 1).missing, ElementsAre(0));
  EXPECT_EQ(loader.stats().errors, 4);
}

TEST(Loader, FilesThatAreNotSurelyExactAreHandedOver) {
  std::vector<std::vector<uint8_t>> files = jpegs(3);
  files[1] = {'B', 'M', 0};
  Loader loader(std::make_shared<MemorySource>(files), transforms(),
                {.epoch = {.batch_size = 3, .shuffle = false}, .threads = 1, .hand_over = true});
  std::thread reference([&] {
    const std::optional<Handover> handover = loader.wait_handover(kForeverMs);
    ASSERT_TRUE(handover.has_value());
    EXPECT_EQ(handover->name, "file-1");
    EXPECT_EQ(handover->bytes, files[1]);
    std::vector<uint8_t> red(size_t{20} * 20 * 3);
    for (size_t i = 0; i < red.size(); i += 3) {
      red[i] = 255;
    }
    loader.finish_handover(handover->id, {red.data(), 20, 20, 3, 60});
    EXPECT_FALSE(loader.wait_handover(kForeverMs).has_value());  // until close()
  });
  const Delivered all = run(loader, 1);
  EXPECT_EQ(all.images[kValues], 1);
  EXPECT_EQ(all.images[kValues + kSide * kSide], 0);
  EXPECT_EQ(loader.stats().handed_over, 1);
  loader.close();
  reference.join();
}

TEST(Loader, StoppingAnywhereNeitherHangsNorTouchesMemoryLater) {
  const auto source = std::make_shared<MemorySource>(jpegs(40));
  std::mt19937 random(7);
  for (int cycle = 0; cycle < 60; ++cycle) {
    auto images = std::make_unique<std::vector<float>>(size_t{16} * kValues);
    auto numbers = std::make_unique<std::vector<int64_t>>(32);
    Loader loader(source, transforms(),
                  {.epoch = {.batch_size = 4}, .threads = 1 + static_cast<int32_t>(random() % 3)});
    const size_t lent = random() % 5;
    for (size_t i = 0; i < lent; ++i) {
      loader.lend(images->data() + i * 4 * kValues, numbers->data() + i * 8,
                  numbers->data() + i * 8 + 4);
    }
    for (size_t i = 0; i < lent && random() % 2 == 0; ++i) {
      EXPECT_TRUE(loader.next(kForeverMs).has_value());
    }
    if (random() % 2 == 0) {
      loader.begin_epoch(1, 8);
    } else {
      loader.close();
    }
    images.reset();  // the sanitizers would see a thread that still writes here
    numbers.reset();
  }
}

TEST(Loader, WrongSetUpSaysWhatToDo) {
  const auto source = std::make_shared<MemorySource>(jpegs(1));
  const auto text = [&](const std::vector<TransformSpec>& specs, LoaderOptions options) {
    try {
      const Loader loader(source, specs, options);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
  };
  EXPECT_THAT(text({{"Resize", {{"size", "8"}}}}, {}),
              HasSubstr("samples would have different sizes | end with"));
  EXPECT_THAT(text({{"ToTensor", {}}, {"CenterCrop", {{"size", "8"}}}}, {}),
              HasSubstr("CenterCrop comes after the image has become a tensor | put it before"));
  EXPECT_THAT(
      text({{"CenterCrop", {{"size", "8"}}}, {"Normalize", {{"mean", "0"}, {"std", "1"}}}}, {}),
      HasSubstr("Normalize comes before the image has become a tensor"));
  EXPECT_THAT(text(transforms(), {.dtype = Dtype::Uint8}), HasSubstr("dtype uint8 cannot hold"));
  EXPECT_THAT(text({{"Blur", {}}}, {}), HasSubstr("no transform is called 'Blur' | there are"));
  EXPECT_THAT(text({{"CenterCrop", {{"size", "x"}}}}, {}), HasSubstr("CenterCrop: size: got 'x'"));
}

}  // namespace
}  // namespace stoker::pipeline
