// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/image_format.h"

#include <algorithm>
#include <string_view>

namespace stoker::scan {
namespace {

using namespace std::string_view_literals;

struct Signature {
  ImageFormat format;
  std::string_view bytes;
  size_t at = 0;
};

constexpr Signature kSignatures[] = {
    {ImageFormat::Jpeg, "\xFF\xD8\xFF"sv},    {ImageFormat::Png, "\x89PNG\r\n\x1A\n"sv},
    {ImageFormat::Webp, "WEBP"sv, 8},         {ImageFormat::Gif, "GIF87a"sv},
    {ImageFormat::Gif, "GIF89a"sv},           {ImageFormat::Bmp, "BM"sv},
    {ImageFormat::Tiff, "II*\0"sv},           {ImageFormat::Tiff, "MM\0*"sv},
    {ImageFormat::Tiff, "II+\0\x08\0\0\0"sv}, {ImageFormat::Tiff, "MM\0+\0\x08\0\0"sv},
};

bool has(std::span<const uint8_t> file, std::string_view bytes, size_t at) {
  return file.size() >= at + bytes.size() &&
         std::equal(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

// "P1" to "P6" and white space.
bool is_pnm(std::span<const uint8_t> file) {
  return file.size() >= 3 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' &&
         (file[2] == ' ' || (file[2] >= '\t' && file[2] <= '\r'));
}

}  // namespace

ImageFormat image_format(std::span<const uint8_t> file) {
  for (const Signature& signature : kSignatures) {
    if (has(file, signature.bytes, signature.at) &&
        (signature.format != ImageFormat::Webp || has(file, "RIFF"sv, 0))) {
      return signature.format;
    }
  }
  return is_pnm(file) ? ImageFormat::Pnm : ImageFormat::Unknown;
}

const char* image_format_name(ImageFormat format) {
  constexpr const char* kNames[kImageFormats] = {"unknown", "jpeg", "png",  "webp",
                                                 "gif",     "bmp",  "tiff", "pnm"};
  return kNames[static_cast<size_t>(format)];
}

}  // namespace stoker::scan
