// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker::scan {

// By content, never by the file's name.
enum class ImageFormat : uint8_t { Unknown, Jpeg, Png, Webp, Gif, Bmp, Tiff, Pnm };
inline constexpr size_t kImageFormats = 8;

ImageFormat image_format(std::span<const uint8_t> file);
// "jpeg", ..., "unknown".
const char* image_format_name(ImageFormat format);

}  // namespace stoker::scan
