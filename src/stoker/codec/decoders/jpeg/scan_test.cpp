// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec::jpeg {
namespace {

using testing::encode;
using testing::JpegSpec;
using Data = std::vector<uint8_t>;

constexpr uint8_t kSof0 = 0xC0, kDht = 0xC4, kSos = 0xDA, kDqt = 0xDB, kDri = 0xDD;

Data restart_jpeg() {
  JpegSpec spec;
  spec.restart_interval = 1;  // 64 x 64 at 4:2:0: 16 MCUs, 15 restarts
  return encode(spec);
}

// Where the segment of `marker` begins.
size_t find_segment(const Data& data, uint8_t marker) {
  size_t at = 2;
  while (data.at(at + 1) != marker) {
    at += 2 + (size_t{data.at(at + 2)} << 8) + data.at(at + 3);
  }
  return at;
}

size_t scan_begin(const Data& data) {
  const size_t sos = find_segment(data, kSos);
  return sos + 2 + (size_t{data.at(sos + 2)} << 8) + data.at(sos + 3);
}

Data with(Data data, size_t at, uint8_t value) {
  data.at(at) = value;
  return data;
}

Data inserted(Data data, size_t at, const Data& what) {
  data.insert(data.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
  return data;
}

Data without(Data data, size_t at, size_t count) {
  const auto first = data.begin() + static_cast<std::ptrdiff_t>(at);
  data.erase(first, first + static_cast<std::ptrdiff_t>(count));
  return data;
}

TEST(JpegScan, PlainFilesAreClean) {
  JpegSpec spec;
  EXPECT_TRUE(is_clean(encode(spec)));
  EXPECT_TRUE(is_clean(restart_jpeg()));
  spec.optimize = true;
  EXPECT_TRUE(is_clean(encode(spec)));
  spec.components = 1;
  EXPECT_TRUE(is_clean(encode(spec)));
  spec.components = 3;
  spec.rgb = true;
  EXPECT_TRUE(is_clean(encode(spec)));
}

TEST(JpegScan, OtherKindsAreNot) {
  JpegSpec spec;
  spec.progressive = true;
  EXPECT_FALSE(is_clean(encode(spec)));
  spec = {};
  spec.arithmetic = true;
  EXPECT_FALSE(is_clean(encode(spec)));
  spec = {};
  spec.several_scans = true;
  EXPECT_FALSE(is_clean(encode(spec)));
  spec = {};
  spec.components = 4;
  spec.sampling = {};
  EXPECT_FALSE(is_clean(encode(spec))) << "CMYK";
}

TEST(JpegScan, EveryCutIsFound) {
  const Data whole = restart_jpeg();
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_FALSE(is_clean(Bytes(whole).first(size))) << size;
  }
  EXPECT_EQ(clean_end(whole), whole.size());
  EXPECT_EQ(clean_end(inserted(whole, whole.size(), {1, 0xFF, 0xD8, 3})), whole.size())
      << "junk behind the end";
}

TEST(JpegScan, MarkersInTheScan) {
  const Data plain = encode(JpegSpec{});
  const size_t begin = scan_begin(plain);
  EXPECT_FALSE(is_clean(inserted(plain, begin, {0xFF, 0xD0}))) << "a restart without DRI";
  EXPECT_FALSE(is_clean(inserted(plain, begin, {0xFF, 0xFF, 0x00}))) << "a fill byte";
  EXPECT_FALSE(is_clean(inserted(plain, begin, {0xFF, 0xDC, 0, 4, 0, 9}))) << "DNL";
  EXPECT_TRUE(is_clean(inserted(plain, begin, {0xFF, 0x00}))) << "a stuffed byte";
}

TEST(JpegScan, RestartMarkersInOrderAndNumber) {
  const Data data = restart_jpeg();
  size_t at = scan_begin(data);
  while (data[at] != 0xFF || data[at + 1] != 0xD0) {
    ++at;
  }
  EXPECT_FALSE(is_clean(with(data, at + 1, 0xD1))) << "wrong number";
  EXPECT_FALSE(is_clean(without(data, at, 2))) << "one missing";
  EXPECT_FALSE(is_clean(inserted(data, data.size() - 2, {0xFF, 0xD7}))) << "one too many";
  const size_t dri = find_segment(data, kDri);
  EXPECT_FALSE(is_clean(with(data, dri + 5, 2))) << "fewer announced";
  EXPECT_FALSE(is_clean(without(data, dri, 6))) << "none announced";
}

TEST(JpegScan, HeadersThatLibjpegMightRefuse) {
  const Data data = encode(JpegSpec{});
  const size_t sof = find_segment(data, kSof0);
  EXPECT_FALSE(is_clean(with(data, sof + 4, 12))) << "precision";
  EXPECT_FALSE(is_clean(with(with(data, sof + 5, 0), sof + 6, 0))) << "height 0, DNL to come";
  EXPECT_FALSE(is_clean(with(data, sof + 8, 0))) << "width 0";
  EXPECT_FALSE(is_clean(with(data, sof + 11, 0x51))) << "sampling factor 5";
  EXPECT_FALSE(is_clean(with(with(data, sof + 11, 0x31), sof + 14, 0x21)))
      << "3 is no multiple of 2";
  EXPECT_FALSE(is_clean(with(data, sof + 12, 3))) << "a missing quantisation table";
  EXPECT_FALSE(is_clean(with(data, sof + 1, 0xC9))) << "arithmetic";
  EXPECT_FALSE(is_clean(inserted(data, sof,
                                 Data(data.begin() + static_cast<std::ptrdiff_t>(sof),
                                      data.begin() + static_cast<std::ptrdiff_t>(sof) + 19))))
      << "two frames";
  EXPECT_TRUE(is_clean(inserted(data, sof, {0xFF, 0xFF}))) << "fill bytes before a marker";
  EXPECT_FALSE(is_clean(inserted(data, sof, {0x00}))) << "junk before a marker";

  const size_t dht = find_segment(data, kDht);
  EXPECT_FALSE(is_clean(with(data, dht + 5, 3))) << "more codes of one bit than there can be";
  EXPECT_FALSE(is_clean(with(data, dht + 21, 16))) << "DC category 16";
  EXPECT_FALSE(is_clean(with(data, dht + 4, 0x22))) << "table class 2";
  const size_t dqt = find_segment(data, kDqt);
  EXPECT_FALSE(is_clean(with(data, dqt + 4, 0x10))) << "16-bit table in the room of an 8-bit one";
  const size_t sos = find_segment(data, kSos);
  EXPECT_FALSE(is_clean(with(data, sos + 4, 2))) << "a scan of two components";
  EXPECT_FALSE(is_clean(with(data, sos + 6, 0x22))) << "missing Huffman tables";
  EXPECT_FALSE(is_clean(with(data, sos + 12, 62))) << "spectral selection";
}

}  // namespace
}  // namespace stoker::codec::jpeg
