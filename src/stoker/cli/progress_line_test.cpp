// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/progress_line.h"

#include <gtest/gtest.h>

namespace stoker::cli {
namespace {

TEST(ProgressLine, SaysSpeedAndTimeLeftOnceTheyAreKnown) {
  EXPECT_EQ(progress_text("images", 3, 5000, 0.2), "3 of 5000 images");
  EXPECT_EQ(progress_text("images", 1000, 5000, 10),
            "1000 of 5000 images, 100 images/s, 40 s left");
  EXPECT_EQ(progress_text("files", 5, 1000, 10), "5 of 1000 files, 0.5 files/s, 33 min left");
  EXPECT_EQ(progress_text("files", 10, 500000, 10),
            "10 of 500000 files, 1.0 files/s, 138.9 h left");
  EXPECT_EQ(progress_text("files", 500, 500, 10), "500 of 500 files, 50 files/s");
}

}  // namespace
}  // namespace stoker::cli
