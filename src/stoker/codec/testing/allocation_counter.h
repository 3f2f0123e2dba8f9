// SPDX-License-Identifier: Apache-2.0
#pragma once

// Include in exactly one file of a test program: replaces the allocation functions of the whole
// program, its shared libraries included, by ones that count. Sanitizers bring their own
// allocator, so there allocations_are_counted() is false.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stoker::codec::testing {

inline std::atomic<int64_t> allocation_count{0};

constexpr bool allocations_are_counted() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

}  // namespace stoker::codec::testing

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STOKER_EXPORT __attribute__((visibility("default")))

// These are the C library's own names, and one file includes them.
// NOLINTBEGIN(bugprone-reserved-identifier,misc-definitions-in-headers)
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

STOKER_EXPORT void* malloc(size_t size) noexcept {
  ++stoker::codec::testing::allocation_count;
  return __libc_malloc(size);
}
STOKER_EXPORT void* calloc(size_t count, size_t size) noexcept {
  ++stoker::codec::testing::allocation_count;
  return __libc_calloc(count, size);
}
STOKER_EXPORT void* realloc(void* p, size_t size) noexcept {
  ++stoker::codec::testing::allocation_count;
  return __libc_realloc(p, size);
}
STOKER_EXPORT void* aligned_alloc(size_t alignment, size_t size) noexcept {
  ++stoker::codec::testing::allocation_count;
  return __libc_memalign(alignment, size);
}
}
// NOLINTEND(bugprone-reserved-identifier,misc-definitions-in-headers)

#undef STOKER_EXPORT
#endif
