// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/jpeg_kind.h"

#include <gtest/gtest.h>

#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::pack {
namespace {

using codec::testing::encode;

TEST(JpegKind, FollowsTheEncoder) {
  EXPECT_EQ(kind_of_jpeg(encode({})), JpegKind::Plain);
  EXPECT_EQ(kind_of_jpeg(encode({.components = 1, .sampling = {{1, 1}}})), JpegKind::Plain);
  EXPECT_EQ(kind_of_jpeg(encode({.progressive = true})), JpegKind::Progressive);
  EXPECT_EQ(kind_of_jpeg(encode({.arithmetic = true})), JpegKind::Arithmetic);
  EXPECT_EQ(kind_of_jpeg(encode({.progressive = true, .arithmetic = true})), JpegKind::Arithmetic);
  EXPECT_EQ(kind_of_jpeg(encode({.several_scans = true})), JpegKind::SeveralScans);
  EXPECT_EQ(kind_of_jpeg(encode({.restart_interval = 3})), JpegKind::RestartMarkers);
  const std::vector<std::pair<int, int>> even = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
  EXPECT_EQ(kind_of_jpeg(encode({.components = 4, .sampling = even})), JpegKind::FourComponents);
}

TEST(JpegKind, AnyCutIsNoJpegOrIrregularOrStillTheSame) {
  const std::vector<uint8_t> whole = encode({.width = 16, .height = 16, .progressive = true});
  bool reached = false;
  for (size_t size = 0; size <= whole.size(); ++size) {
    const JpegKind kind = kind_of_jpeg(codec::Bytes(whole).first(size));
    reached = reached || kind == JpegKind::Progressive;
    EXPECT_EQ(kind, size < 3  ? JpegKind::NotJpeg
                    : reached ? JpegKind::Progressive
                              : JpegKind::Irregular);
  }
  EXPECT_TRUE(reached);
}

TEST(JpegKind, OtherFormats) {
  const std::string png = "\x89PNG\r\n\x1a\n";
  EXPECT_EQ(kind_of_jpeg(std::vector<uint8_t>(png.begin(), png.end())), JpegKind::NotJpeg);
  EXPECT_EQ(kind_of_jpeg({}), JpegKind::NotJpeg);
}

}  // namespace
}  // namespace stoker::pack
