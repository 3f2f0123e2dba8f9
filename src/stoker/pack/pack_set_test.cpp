// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/pack_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "stoker/core/error.h"
#include "stoker/io/open_source.h"
#include "stoker/pack/jpeg_kind.h"
#include "stoker/pack/pack_plan.h"
#include "stoker/pack/shard_end.h"
#include "stoker/pack/testing/photo_tree.h"

namespace stoker::pack {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::encode;
using testing::files_of;
using ::testing::HasSubstr;
using testing::PhotoTree;

class PackSet : public ::testing::Test {
 protected:
  PackOptions options(const std::string& folder = "packed") const {
    return {.source = tree_.set(), .folder = tree_.path(folder), .images_per_shard = 5};
  }
  std::string refusal(const PackOptions& asked) const {
    try {
      pack_set(asked);
      return "";
    } catch (const Error& error) {
      EXPECT_FALSE(error.hint().empty());
      return error.what();
    }
  }

  PhotoTree tree_;
};

TEST_F(PackSet, HoldsEverySampleOnceInOrder) {
  tree_.fill(23);
  const PackReport report = pack_set(options());
  EXPECT_EQ(report.samples, 23);
  EXPECT_EQ(report.shards, 5);
  EXPECT_EQ(report.shards_made, 5);
  EXPECT_EQ(report.indexed, 23);
  const auto source = io::open_source(tree_.set());
  const auto packed = io::open_source(tree_.path("packed"));
  EXPECT_THAT(packed->warnings(), ElementsAre());
  ASSERT_EQ(packed->count(), 23);
  std::vector<uint8_t> bytes, original, entry;
  for (int64_t i = 0; i < 23; ++i) {
    EXPECT_EQ(packed->label(i), source->label(i));
    EXPECT_TRUE(packed->name(i).ends_with(source->index_name(i))) << packed->name(i);
    ASSERT_TRUE(packed->read(i, bytes).ok());
    ASSERT_TRUE(source->read(i, original).ok());
    EXPECT_EQ(kind_of_jpeg(bytes), JpegKind::Plain);
    EXPECT_EQ(bytes == original, kind_of_jpeg(original) == JpegKind::Plain) << i;
    ASSERT_TRUE(packed->read_index(i, entry).ok());
    EXPECT_FALSE(entry.empty());
  }
  EXPECT_EQ(packed->classes(), source->classes());
}

TEST_F(PackSet, ClassNamesThatDoNotFitAreLeftOut) {
  tree_.fill(4);
  pack_set(options());
  const std::string path = tree_.path("packed/classes.json");
  EXPECT_EQ(bytes_of(path), "[\n  \"c0\",\n  \"c1\"\n]\n");
  const uint64_t fingerprint = io::open_source(tree_.path("packed"))->fingerprint();
  for (const std::string_view text : {"[\"c0\"]", "{", "", "3"}) {
    ASSERT_TRUE(write_file_atomic(path, text).ok());
    const auto packed = io::open_source(tree_.path("packed"));
    EXPECT_THAT(packed->classes(), ElementsAre()) << text;
    EXPECT_EQ(packed->fingerprint(), fingerprint);
  }
}

TEST_F(PackSet, ConvertsAndCounts) {
  tree_.write("a/1.jpg", encode({.progressive = true}));
  tree_.write("a/2.jpg", encode({.arithmetic = true}));
  tree_.write("a/3.jpg", encode({.several_scans = true}));
  tree_.write("a/4.jpg", encode({.restart_interval = 2}));
  tree_.write("a/5.png", {0x89, 'P', 'N', 'G'});
  std::vector<uint8_t> cut = encode({.width = 200, .height = 200, .progressive = true});
  cut.resize(cut.size() / 2);
  tree_.write("a/6.jpg", cut);
  PackOptions asked = options();
  asked.check = true;
  const PackReport report = pack_set(asked);
  EXPECT_EQ(report.converted.text(), "1 arithmetic coding, 1 progressive, 1 several scans");
  EXPECT_THAT(report.not_converted.text(), HasSubstr("1 progressive ("));
  EXPECT_EQ(report.indexed, 3);
  EXPECT_EQ(report.check->same_pixels, 3);
  EXPECT_EQ(report.check->same_bytes, 3);
  EXPECT_EQ(report.check->index_regions, 3);
  EXPECT_EQ(report.check->different, 0);
  // Finished shards still tell of themselves.
  EXPECT_EQ(pack_set(options()).converted.text(), report.converted.text());

  asked.folder = tree_.path("as_they_are");
  asked.convert = false;
  const PackReport plain = pack_set(asked);
  EXPECT_EQ(plain.converted.total() + plain.not_converted.total(), 0);
  EXPECT_EQ(plain.check->same_bytes, 6);
}

TEST_F(PackSet, ThreadsDoNotMatter) {
  tree_.fill(23);
  PackOptions asked = options("one");
  pack_set(asked);
  asked.folder = tree_.path("five");
  asked.threads = 5;
  pack_set(asked);
  EXPECT_EQ(files_of(tree_.path("one")), files_of(tree_.path("five")));
}

TEST_F(PackSet, PartsTogetherAreTheWhole) {
  tree_.fill(33);
  pack_set(options("whole"));
  PackOptions asked = options("parts");
  asked.parts = 3;
  asked.check = true;
  for (const int64_t part : {2, 0, 1}) {
    asked.part = part;
    const PackReport report = pack_set(asked);
    EXPECT_EQ(report.check->different, 0);
    EXPECT_EQ(report.check->samples, report.part_samples);
    EXPECT_EQ(report.shards_missing > 0, part != 1);
    EXPECT_EQ(report.indexed, part == 1 ? 33 : 0);
  }
  EXPECT_EQ(files_of(tree_.path("whole")), files_of(tree_.path("parts")));
}

TEST_F(PackSet, GoesOnWhereItWasInterrupted) {
  tree_.fill(23);
  pack_set(options("unbroken"));
  const auto expected = files_of(tree_.path("unbroken"));
  for (const int64_t at : {1, 5, 12, 23}) {
    PackOptions asked = options("broken");
    std::atomic<bool> stop{false};
    asked.stop = &stop;
    asked.force = true;
    EXPECT_THROW(
        pack_set(asked, {.pack = [&](int64_t done, int64_t) { stop = stop || done == at; }}),
        Interrupted);
    for (const auto& [name, bytes] : files_of(tree_.path("broken"))) {
      EXPECT_FALSE(name.ends_with(".part") || name.ends_with(".tmp")) << name;
    }
    asked.stop = nullptr;
    asked.force = false;
    const PackReport report = pack_set(asked);
    EXPECT_EQ(report.shards_made + report.shards_kept, 5);
    EXPECT_EQ(files_of(tree_.path("broken")), expected);
  }
}

TEST_F(PackSet, ShardThatIsNotWholeIsMadeAnew) {
  tree_.fill(23);
  pack_set(options());
  const auto expected = files_of(tree_.path("packed"));
  const std::string shard = tree_.path("packed/000002.tar");
  const std::string whole = bytes_of(shard);
  for (const std::string& bad : {whole.substr(0, whole.size() - 512), std::string(), whole + "x"}) {
    ASSERT_TRUE(write_file_atomic(shard, bad).ok());
    // What a killed run leaves behind.
    ASSERT_TRUE(write_file_atomic(tree_.path("packed/.000002.tar.part"), bad).ok());
    EXPECT_EQ(pack_set(options()).shards_made, 1);
    EXPECT_EQ(files_of(tree_.path("packed")), expected);
  }
}

TEST_F(PackSet, OtherOptionsAreRefusedWithTheReason) {
  tree_.fill(12);
  pack_set(options());
  PackOptions asked = options();
  asked.images_per_shard = 6;
  EXPECT_THAT(refusal(asked), HasSubstr("its shards were made with --images 5"));
  asked = options();
  asked.convert = false;
  EXPECT_THAT(refusal(asked), HasSubstr("it was made without --no-convert"));
  tree_.write("c0/more.jpg", encode({}));
  EXPECT_THAT(refusal(options()), HasSubstr("other samples (12 there, 13 now)"));
  asked = options();
  asked.images_per_shard = 100;
  asked.force = true;
  EXPECT_EQ(pack_set(asked).shards, 1);
  EXPECT_EQ(io::open_source(asked.folder)->count(), 13);  // nothing of the old set is left
}

TEST_F(PackSet, FoldersOfOtherThingsAreLeftAlone) {
  tree_.fill(2);
  PackOptions asked = options("other");
  testing::fs::create_directories(asked.folder);
  ASSERT_TRUE(write_file_atomic(asked.folder + "/train.tar", std::string_view("mine")).ok());
  for (const bool force : {false, true}) {
    asked.force = force;
    EXPECT_THAT(refusal(asked), HasSubstr("'train.tar', which is no part of a packed set"));
  }
  asked.folder = tree_.set() + "/packed";
  EXPECT_THAT(refusal(asked), HasSubstr("lie inside each other"));
  asked.folder = tree_.set();
  EXPECT_THAT(refusal(asked), HasSubstr("lie inside each other"));
}

TEST_F(PackSet, SizeOfShardsIsAboutWhatIsAsked) {
  for (int i = 0; i < 40; ++i) {
    tree_.write(fmt::format("a/{}.jpg", i),
                encode({.width = 300, .height = 200, .seed = static_cast<uint32_t>(i)}));
  }
  PackOptions asked = options();
  asked.images_per_shard = 0;
  asked.shard_bytes = 300'000;
  pack_set(asked);
  const auto size = static_cast<double>(testing::fs::file_size(tree_.path("packed/000000.tar")));
  EXPECT_NEAR(size, 300e3, 60e3);
}

TEST_F(PackSet, TarsPackToTars) {
  tree_.fill(12);
  pack_set(options());
  PackOptions asked = options("again");
  asked.source = tree_.path("packed");
  asked.images_per_shard = 4;
  asked.check = true;
  const PackReport report = pack_set(asked);
  EXPECT_EQ(report.samples, 12);
  EXPECT_EQ(report.check->same_bytes, 12);
  EXPECT_EQ(io::open_source(asked.folder)->name(0), "000000.tar: 000000/c0/1000.jpg");
}

TEST_F(PackSet, SampleThatCannotBeReadEndsIt) {
  tree_.fill(6);
  testing::fs::create_symlink("nowhere", tree_.set() + "/c1/9.jpg");
  EXPECT_THAT(refusal(options()), HasSubstr("c1/9.jpg"));
}

TEST_F(PackSet, CheckFindsWhatDiffers) {
  tree_.fill(12);
  pack_set(options());
  tree_.write("c1/1001.jpg", encode({.width = 41, .height = 34, .seed = 99}));
  PackOptions asked = options();
  asked.check = true;
  const PackReport report = pack_set(asked);
  EXPECT_EQ(report.shards_made, 0);
  EXPECT_EQ(report.check->different, 1);
  EXPECT_THAT(report.check->differences, ElementsAre(HasSubstr("c1/1001.jpg: pixels differ")));
}

TEST_F(PackSet, WrongNumbersAreRefused) {
  PackOptions asked = options();
  asked.part = 1;
  EXPECT_THROW(pack_set(asked), Error);
  asked = options();
  asked.threads = 0;
  EXPECT_THROW(pack_set(asked), Error);
}

TEST(ShardName, GoesBothWays) {
  EXPECT_EQ(shard_name(12), "000012.tar");
  EXPECT_EQ(shard_of_name("000012.tar"), 12);
  EXPECT_EQ(shard_of_name(shard_name(12345678)), 12345678);
  for (const char* name : {"12.tar", "00012.tar", "0000012.tar", "-00012.tar", "000012.tar.part",
                           "000012", "abcdef.tar", ".tar"}) {
    EXPECT_EQ(shard_of_name(name), -1) << name;
  }
}

}  // namespace
}  // namespace stoker::pack
