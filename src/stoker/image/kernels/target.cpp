// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/kernels/target.h"

#include <atomic>

namespace stoker::image {
namespace {

// Highway compiles for these extensions, so all of them must be there; the compiler's check
// includes whether the operating system saves the wide registers.
bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}

bool has_avx2() {
  return has_sse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c");
}

bool has_avx3() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

std::atomic<SimdTarget>& chosen() {
  static std::atomic<SimdTarget> target{supported_targets().back()};
  return target;
}

}  // namespace

const char* name_of(SimdTarget target) {
  switch (target) {
    case SimdTarget::Scalar:
      break;
    case SimdTarget::Sse4:
      return "SSE4";
    case SimdTarget::Avx2:
      return "AVX2";
    case SimdTarget::Avx3:
      return "AVX3";
  }
  return "scalar";
}

std::vector<SimdTarget> supported_targets() {
  std::vector<SimdTarget> targets = {SimdTarget::Scalar};
  if (has_sse4()) {
    targets.push_back(SimdTarget::Sse4);
  }
  if (has_avx2()) {
    targets.push_back(SimdTarget::Avx2);
  }
  if (has_avx3()) {
    targets.push_back(SimdTarget::Avx3);
  }
  return targets;
}

SimdTarget current_target() {
  return chosen().load(std::memory_order_relaxed);
}

void force_target(SimdTarget target) {
  chosen().store(target, std::memory_order_relaxed);
}

}  // namespace stoker::image
