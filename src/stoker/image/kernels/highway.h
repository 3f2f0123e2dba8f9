// SPDX-License-Identifier: Apache-2.0
// Include this, after defining HWY_TARGET_INCLUDE, in every file with kernels. Highway is used as
// headers only: its run-time dispatch and its assertions would need its shared library.

// clang-format off
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#ifndef HWY_IS_DEBUG_BUILD
#define HWY_IS_DEBUG_BUILD 0
#endif
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on
