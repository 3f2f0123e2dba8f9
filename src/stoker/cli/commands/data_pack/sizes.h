// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "stoker/core/status.h"

namespace stoker::cli {

// "500000", "256MB", "1.5 GB", "64 MiB": a size in bytes, at least 1.
Result<int64_t> parse_bytes(std::string_view text);

// "2/5": one of several parts.
struct Part {
  int64_t number = 1;  // from 1 on
  int64_t count = 1;
};
Result<Part> parse_part(std::string_view text);

}  // namespace stoker::cli
