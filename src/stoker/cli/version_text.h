// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stoker::cli {

// "stoker 0.1.0 (libjpeg-turbo 2.1.5, highway 1.0.3, SIMD target AVX2)".
std::string version_text();

}  // namespace stoker::cli
