// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/codec/decoder.h"

namespace stoker::codec {

// Bytes of a pixel.
int32_t channels_of(PixelFormat format);

// Does `request` lie inside the image, and is `out` what it asks for? InvalidArgument if not;
// Unsupported for grey pixels of an image that has colour.
Status check_request(const ImageInfo& info, const DecodeRequest& request, const ImageView& out);

}  // namespace stoker::codec
