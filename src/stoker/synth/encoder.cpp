// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/encoder.h"

#include <fmt/format.h>
#include <png.h>
#include <webp/encode.h>

#include "stoker/core/error.h"
#include "stoker/synth/jpeg_writer.h"

namespace stoker::synth {
namespace {

Status encode_png(const ImageView& rgb, std::vector<uint8_t>& out) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(rgb.width);
  image.height = static_cast<png_uint_32>(rgb.height);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  const auto stride = static_cast<png_int_32>(rgb.stride_bytes);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  out.resize(size);
  if (png_image_write_to_memory(&image, out.data(), &size, 0, rgb.data, stride, nullptr) == 0) {
    return {ErrorCode::Internal, fmt::format("libpng: {}", image.message)};
  }
  out.resize(size);
  return {};
}

Status encode_webp(const ImageView& rgb, int quality, std::vector<uint8_t>& out) {
  uint8_t* data = nullptr;
  const size_t size =
      WebPEncodeRGB(rgb.data, rgb.width, rgb.height, static_cast<int>(rgb.stride_bytes),
                    static_cast<float>(quality), &data);
  if (size == 0) {
    return {ErrorCode::InvalidArgument,
            fmt::format("libwebp refused an image of {}x{}", rgb.width, rgb.height)};
  }
  out.assign(data, data + size);
  WebPFree(data);
  return {};
}

}  // namespace

const char* file_extension(ImageFormat format) {
  switch (format) {
    case ImageFormat::Jpeg:
      return "jpg";
    case ImageFormat::Png:
      return "png";
    case ImageFormat::Webp:
      return "webp";
  }
  return "";
}

ImageFormat format_of_name(const std::string& name) {
  if (name == "jpeg") {
    return ImageFormat::Jpeg;
  }
  if (name == "png") {
    return ImageFormat::Png;
  }
  if (name == "webp") {
    return ImageFormat::Webp;
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("'{}' is no format of images", name),
              "use jpeg, png or webp");
}

Status encode(const ImageView& rgb, ImageFormat format, int quality, std::vector<uint8_t>& out) {
  switch (format) {
    case ImageFormat::Jpeg:
      return encode_jpeg(rgb, quality, out);
    case ImageFormat::Png:
      return encode_png(rgb, out);
    case ImageFormat::Webp:
      return encode_webp(rgb, quality, out);
  }
  return {ErrorCode::Internal, "no such format"};
}

}  // namespace stoker::synth
