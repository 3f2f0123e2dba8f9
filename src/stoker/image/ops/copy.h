// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/image/step.h"

namespace stoker::image {

// The pixels of `rgbx` once more, in `scratch.pixels`, for operations that read beside where they
// write. `extra_bytes` more bytes come after its last row.
ImageView copy_of(const ImageView& rgbx, PixelScratch& scratch, size_t extra_bytes = 0);

}  // namespace stoker::image
