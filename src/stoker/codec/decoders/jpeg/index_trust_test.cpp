// SPDX-License-Identifier: Apache-2.0
// Entries that are stale, damaged or forged, and files that get none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/index_entry.h"
#include "stoker/codec/decoders/jpeg/small_jpeg.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using testing::JpegSpec;
using Data = std::vector<uint8_t>;

constexpr Region kRegion = {70, 50, 130, 90};
constexpr size_t kPixelBytes = size_t{60} * 40 * 3;

JpegSpec photo_spec(uint32_t seed = 1) {
  JpegSpec spec;
  spec.width = 200;
  spec.height = 150;
  spec.seed = seed;
  return spec;
}

Data index_of(const Data& jpeg) {
  Data entry;
  const Status status = make_jpeg_index(jpeg, kDefaultIndexColumns, entry);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return entry;
}

ErrorCode refusal_of(const Data& jpeg) {
  Data entry = {1};
  const ErrorCode code = make_jpeg_index(jpeg, kDefaultIndexColumns, entry).code();
  EXPECT_EQ(entry.empty(), code != ErrorCode::Ok);
  return code;
}

// The pixels of kRegion; empty after an error.
Data decode(DecoderState& state, Bytes jpeg, Bytes index) {
  Data pixels(kPixelBytes);
  const ImageView out{pixels.data(), kRegion.width(), kRegion.height(), 3,
                      static_cast<size_t>(kRegion.width()) * 3};
  return state.decode(jpeg, {kRegion, PixelFormat::Rgb, index}, out).ok() ? pixels : Data();
}

class IndexTrust : public ::testing::Test {
 protected:
  Data decode(Bytes file, Bytes entry) { return codec::decode(*state_, file, entry); }
  bool belongs(Bytes file, Bytes entry) { return jpeg::SmallJpeg().open(file, entry); }

  std::unique_ptr<DecoderState> state_ = all_decoders().at(0).make_state();
  Data jpeg_ = testing::encode(photo_spec());
  Data index_ = index_of(jpeg_);
  Data pixels_ = codec::decode(*state_, jpeg_, {});
};

TEST_F(IndexTrust, GoodEntryIsUsed) {
  ASSERT_FALSE(pixels_.empty());
  EXPECT_TRUE(belongs(jpeg_, index_));
  EXPECT_EQ(decode(jpeg_, index_), pixels_);
}

TEST_F(IndexTrust, InfoIsTheSame) {
  const Result<ImageInfo> plain = state_->read_info(jpeg_);
  const Result<ImageInfo> indexed = state_->read_info_indexed(jpeg_, index_);
  ASSERT_TRUE(plain.ok() && indexed.ok());
  EXPECT_EQ(indexed->width, 200);
  EXPECT_EQ(indexed->height, 150);
  EXPECT_EQ(indexed->channels, 3);
  EXPECT_FALSE(indexed->progressive);
  EXPECT_TRUE(indexed->clean);
  EXPECT_EQ(indexed->end_bytes, jpeg_.size());
  EXPECT_EQ(plain->end_bytes, jpeg_.size());
}

// However header and decode() come by the index, and whether it is there at all.
TEST_F(IndexTrust, EveryOrderOfCalls) {
  for (const Data& first : {Data(), index_}) {
    for (const Data& second : {Data(), index_}) {
      ASSERT_TRUE(state_->read_info_indexed(jpeg_, first).ok());
      EXPECT_EQ(decode(jpeg_, second), pixels_);
      EXPECT_EQ(decode(jpeg_, second), pixels_) << "without reading the header again";
    }
  }
}

TEST_F(IndexTrust, WholeImage) {
  const Data whole = testing::decode_plainly(jpeg_);
  Data pixels(whole.size());
  const ImageView out{pixels.data(), 200, 150, 3, 600};
  ASSERT_TRUE(state_->decode(jpeg_, {{0, 0, 200, 150}, PixelFormat::Rgb, index_}, out).ok());
  EXPECT_EQ(pixels, whole);
}

TEST_F(IndexTrust, JunkBehindTheEndMarker) {
  Data longer = jpeg_;
  longer.insert(longer.end(), {1, 2, 3, 0xFF, 0xD8});
  EXPECT_FALSE(belongs(longer, index_));
  const Data index = index_of(longer);
  EXPECT_TRUE(belongs(longer, index));
  EXPECT_EQ(decode(longer, index), pixels_);
  EXPECT_EQ(state_->read_info_indexed(longer, index)->end_bytes, jpeg_.size());
}

TEST_F(IndexTrust, EntryOfAnotherFile) {
  const Data other = testing::encode(photo_spec(2));
  EXPECT_FALSE(belongs(other, index_));
  EXPECT_EQ(decode(other, index_), decode(other, {}));
  EXPECT_NE(decode(other, {}), pixels_);
}

TEST_F(IndexTrust, DamagedEntry) {
  for (size_t at = 0; at < index_.size(); ++at) {
    Data damaged = index_;
    damaged[at] ^= static_cast<uint8_t>(1U << at % 8);
    ASSERT_FALSE(belongs(jpeg_, damaged)) << "byte " << at;
    ASSERT_EQ(decode(jpeg_, damaged), pixels_);
  }
  for (size_t size = 0; size < index_.size(); ++size) {
    const Data cut(index_.begin(), index_.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(belongs(jpeg_, cut)) << size << " bytes";
    ASSERT_EQ(decode(jpeg_, cut), pixels_);
  }
}

TEST_F(IndexTrust, ChangedFile) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    Data changed = jpeg_;
    changed[random() % changed.size()] ^= static_cast<uint8_t>(1U << random() % 8);
    ASSERT_FALSE(belongs(changed, index_));
    ASSERT_EQ(decode(changed, index_), decode(changed, {}));
  }
  for (size_t size = 0; size < jpeg_.size(); size += 97) {
    const Bytes cut = Bytes(jpeg_).first(size);
    ASSERT_FALSE(belongs(cut, index_));
    ASSERT_TRUE(decode(cut, index_).empty());
  }
}

// Points that cannot be, under a right checksum: pixels may be wrong, but there is an image, or
// the points are not used.
TEST_F(IndexTrust, ForgedPoints) {
  jpeg::EntryHead head;
  ASSERT_TRUE(jpeg::EntryReader().open(index_, head));
  std::mt19937 random(4);
  int used = 0;
  for (int i = 0; i < 300; ++i) {
    Data forged;
    jpeg::EntryWriter writer(head, 3, forged);
    jpeg::ScanPoint point;
    for (uint64_t k = random() % 60; k > 0; --k) {
      writer.add(point);
      point.bit += random() % 12000;
      for (int32_t& dc : point.dc) {
        dc = static_cast<int32_t>(random() % 4000) - 2000;
      }
    }
    writer.finish();
    jpeg::SmallJpeg small;
    ASSERT_TRUE(small.open(jpeg_, forged));
    used += small.build(kRegion) ? 1 : 0;
    ASSERT_EQ(decode(jpeg_, forged).size(), kPixelBytes);
  }
  EXPECT_GT(used, 0) << "some forgeries get as far as libjpeg";
  EXPECT_LT(used, 300);
}

TEST(JpegIndexRefusals, OtherKinds) {
  JpegSpec spec = photo_spec();
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Ok);
  spec.progressive = true;
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  spec = photo_spec();
  spec.arithmetic = true;
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  spec = photo_spec();
  spec.several_scans = true;
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  spec = photo_spec();
  spec.restart_interval = 8;
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  spec = photo_spec();
  spec.sampling = {{4, 1}, {1, 1}, {1, 1}};
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  spec = photo_spec();
  spec.components = 4;
  spec.sampling = {};
  EXPECT_EQ(refusal_of(testing::encode(spec)), ErrorCode::Unsupported);
  EXPECT_EQ(refusal_of(Data{}), ErrorCode::Unsupported);
  Data entry;
  EXPECT_EQ(make_jpeg_index(testing::encode(photo_spec()), 0, entry).code(),
            ErrorCode::InvalidArgument);
}

TEST(JpegIndexRefusals, BytesInFrontOfTheEndMarker) {
  Data jpeg = testing::encode(photo_spec());
  jpeg.insert(jpeg.end() - 2, 0x12);
  EXPECT_EQ(refusal_of(jpeg), ErrorCode::Unsupported);
}

TEST(JpegIndexRefusals, ScansThatEndTooEarly) {
  const Data jpeg = testing::encode(photo_spec());
  int refused = 0;
  for (size_t cut = 1; cut < 200; ++cut) {
    Data shorter = jpeg;
    shorter.resize(jpeg.size() - 2 - cut);
    if (shorter[shorter.size() - 1] == 0xFF) {
      continue;
    }
    shorter.insert(shorter.end(), {0xFF, 0xD9});
    EXPECT_EQ(refusal_of(shorter), ErrorCode::Unsupported) << cut;
    ++refused;
  }
  EXPECT_GT(refused, 150);
}

TEST(JpegIndexRefusals, JfifOfAnUnknownVersion) {
  Data jpeg = testing::encode(photo_spec());
  ASSERT_EQ(jpeg[3], 0xE0);
  jpeg[11] = 9;  // libjpeg warns, so the decoder fails too
  EXPECT_NE(refusal_of(jpeg), ErrorCode::Ok);
}

// Whatever bits are wrong: libjpeg has nothing to say about a file that gets an entry, and the
// entry is right.
TEST(JpegIndexRefusals, WrongBits) {
  std::mt19937 random(5);
  const auto state = all_decoders().at(0).make_state();
  int accepted = 0;
  for (int i = 0; i < 1500; ++i) {
    JpegSpec spec = photo_spec(static_cast<uint32_t>(i % 7));
    spec.optimize = i % 2 == 0;
    spec.quality = 30 + 10 * (i % 7);
    spec.components = i % 5 == 0 ? 1 : 3;
    Data jpeg = testing::encode(spec);
    const size_t at = jpeg.size() - 1 - random() % (jpeg.size() - 700);
    jpeg[at] ^= static_cast<uint8_t>(1U << random() % 8);
    Data index;
    if (!make_jpeg_index(jpeg, 1 + i % 4, index).ok()) {
      continue;
    }
    ++accepted;
    const Data whole = testing::decode_plainly(jpeg);
    ASSERT_FALSE(whole.empty()) << "libjpeg warns, file " << i;
    ASSERT_EQ(decode(*state, jpeg, index), decode(*state, jpeg, {})) << "file " << i;
  }
  EXPECT_GT(accepted, 20) << "wrong bits often decode without a warning";
}

}  // namespace
}  // namespace stoker::codec
