// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

// How many samples a batch holds, as far as can be told at a glance; 0 when it cannot. `expected`
// is the loader's batch size, 0 where it has none. Leaves no Python error behind.
int64_t samples_of(nanobind::handle batch, int64_t expected);
