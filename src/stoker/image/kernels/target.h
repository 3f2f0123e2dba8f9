// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace stoker::image {

// Instruction sets that kernels are built for, weakest first. The names are Highway's.
enum class SimdTarget : uint8_t { Scalar, Sse4, Avx2, Avx3 };

const char* name_of(SimdTarget target);

// What this CPU and its operating system can run; always holds Scalar.
std::vector<SimdTarget> supported_targets();

// The best of them, or what force_target() asked for.
SimdTarget current_target();

// For tests and benches: use `target` (which must be supported) from now on in all threads.
void force_target(SimdTarget target);

}  // namespace stoker::image
