// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace stoker::io {

// Does Python sort the file name `a` before `b`? It compares code points, and a byte that is not
// part of valid UTF-8 counts as U+DC00 + byte ("surrogateescape"). For valid UTF-8 this is the
// order of the bytes.
bool python_less(std::string_view a, std::string_view b);

}  // namespace stoker::io
