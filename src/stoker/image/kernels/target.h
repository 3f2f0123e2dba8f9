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

// The kernels of `target`, of those that were built.
template <class Kernels>
const Kernels& choose(SimdTarget target, const Kernels* scalar, const Kernels* sse4,
                      const Kernels* avx2, const Kernels* avx3) {
  switch (target) {
    case SimdTarget::Scalar:
      break;
    case SimdTarget::Sse4:
      return *sse4;
    case SimdTarget::Avx2:
      return *avx2;
    case SimdTarget::Avx3:
      return *avx3;
  }
  return *scalar;
}

// For tests and benches: use `target` (which must be supported) from now on in all threads.
void force_target(SimdTarget target);

}  // namespace stoker::image
