// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/python_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stoker::io {
namespace {

// What Python 3.11 makes of sorted(map(os.fsdecode, names)).
TEST(PythonOrder, IsThatOfCodePoints) {
  const std::vector<std::string> sorted = {
      "",
      "A",
      "a",
      "a-b",
      "a/b",
      "a\xC3\xA9",          // U+E9
      "a\xED\x95\x9C",      // U+D55C
      "a\x80",              // a stray byte: U+DC80
      "a\xC3",              // a sequence that is cut off: U+DCC3
      "a\xC3z",             //
      "a\xE2\x82",          // U+DCE2 U+DC82
      "a\xED\xA0\x80",      // a surrogate is no UTF-8: U+DCED
      "a\xF5",              // U+DCF5
      "a\xFF",              // U+DCFF
      "a\xEE\x80\x80",      // U+E000
      "a\xEF\xBF\xBD",      // U+FFFD
      "a\xF0\x9F\x98\x80",  // U+1F600
      "b",
  };
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(python_less(sorted[i], sorted[j]), i < j) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace stoker::io
