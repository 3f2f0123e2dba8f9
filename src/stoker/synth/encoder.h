// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/core/image_view.h"
#include "stoker/core/status.h"

namespace stoker::synth {

enum class ImageFormat : uint8_t { Jpeg, Png, Webp };

// "jpg", "png", "webp".
const char* file_extension(ImageFormat format);
// "jpeg", "png" or "webp"; throws Error (InvalidArgument) for anything else.
ImageFormat format_of_name(const std::string& name);

// Packed RGB to a file in memory, which replaces what is in `out`. `quality` is 1 to 100; PNG has
// none. JPEG is 4:2:0 baseline. Thread-safe.
Status encode(const ImageView& rgb, ImageFormat format, int quality, std::vector<uint8_t>& out);

}  // namespace stoker::synth
