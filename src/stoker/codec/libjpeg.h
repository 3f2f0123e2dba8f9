// SPDX-License-Identifier: Apache-2.0
#pragma once

// libjpeg's headers need <cstdio> before them, and an order that formatters do not keep.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on
