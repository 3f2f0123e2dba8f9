// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/version_text.h"

#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE before it.
#include <fmt/format.h>
#include <jpeglib.h>

#include "stoker/core/version.h"
#include "stoker/image/pixels.h"

#define STOKER_TEXT_OF(x) #x
#define STOKER_TEXT(x) STOKER_TEXT_OF(x)

namespace stoker::cli {

std::string version_text() {
  return fmt::format("stoker {} (libjpeg-turbo {}, highway {}, SIMD target {})", kVersion,
                     STOKER_TEXT(LIBJPEG_TURBO_VERSION), STOKER_HIGHWAY_VERSION,
                     image::simd_target());
}

}  // namespace stoker::cli
