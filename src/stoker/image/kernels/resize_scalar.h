// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/image/kernels/resize.h"

namespace stoker::image {

// The passes as plain loops over unsplit weights: the definition that SIMD code is held against.
void horizontal_scalar(const PassJob& job);
void vertical_scalar(const PassJob& job);

}  // namespace stoker::image
