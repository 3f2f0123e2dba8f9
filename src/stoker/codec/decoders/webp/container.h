// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/codec/decoder.h"

namespace stoker::codec::webp {

// A still picture in a WebP file.
struct Picture {
  Bytes data;  // its chunks, ALPH before VP8, as the decoder wants them
  int32_t width = 0, height = 0;
};

bool has_signature(Bytes data);

// Finds the picture of a file whose chunks are complete and in the standard's order; refuses
// animations, and every other file of which it is not sure that Pillow reads it.
Status find_picture(Bytes data, Picture& picture);

}  // namespace stoker::codec::webp
