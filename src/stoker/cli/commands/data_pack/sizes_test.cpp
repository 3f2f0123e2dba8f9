// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_pack/sizes.h"

#include <gtest/gtest.h>

namespace stoker::cli {
namespace {

TEST(ParseBytes, NumbersAndUnits) {
  EXPECT_EQ(parse_bytes("500000").value(), 500000);
  EXPECT_EQ(parse_bytes("256MB").value(), 256'000'000);
  EXPECT_EQ(parse_bytes("1.5 GB").value(), 1'500'000'000);
  EXPECT_EQ(parse_bytes("2MiB").value(), 2097152);
  for (const char* text :
       {"", "MB", "0", "-1", "1XB", "1 M", "1e3", "nan", "1GBs", "1e99GB", "0.1"}) {
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
}

TEST(ParsePart, OneOfSeveral) {
  EXPECT_EQ(parse_part("1/1")->number, 1);
  EXPECT_EQ(parse_part("3/8")->number, 3);
  EXPECT_EQ(parse_part("3/8")->count, 8);
  for (const char* text :
       {"", "1", "0/3", "4/3", "1/0", "1/", "/1", "1/2/3", "a/b", "-1/3", "1 /3"}) {
    EXPECT_FALSE(parse_part(text).ok()) << text;
  }
}

}  // namespace
}  // namespace stoker::cli
