// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/jpeg_writer.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
// After <cstdio>: jpeglib.h uses FILE and size_t without asking for them.
#include <jpeglib.h>

namespace stoker::synth {
namespace {

struct JumpError {
  jpeg_error_mgr manager;  // first, so that libjpeg's pointer to it is one to the whole
  std::jmp_buf target;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr info) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  auto* error = reinterpret_cast<JumpError*>(info->err);
  error->manager.format_message(info, error->message);
  std::longjmp(error->target, 1);
}

void on_message(j_common_ptr /*info*/) {}

// Owns nothing with a destructor: an error of libjpeg jumps back to the setjmp here.
bool compress(jpeg_compress_struct& info, JumpError& error, const ImageView& rgb, int quality,
              unsigned char** data, unsigned long* size) {  // NOLINT(google-runtime-int)
  if (setjmp(error.target) != 0) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, data, size);
  info.image_width = static_cast<JDIMENSION>(rgb.width);
  info.image_height = static_cast<JDIMENSION>(rgb.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = rgb.row(static_cast<int32_t>(info.next_scanline));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

Status encode_jpeg(const ImageView& rgb, int quality, std::vector<uint8_t>& out) {
  jpeg_compress_struct info{};
  JumpError error{};
  info.err = jpeg_std_error(&error.manager);
  error.manager.error_exit = on_error;
  error.manager.output_message = on_message;
  unsigned char* data = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's type
  const bool done = compress(info, error, rgb, quality, &data, &size);
  if (done) {
    out.assign(data, data + size);
  }
  std::free(data);
  return done ? Status() : Status(ErrorCode::Internal, error.message);
}

}  // namespace stoker::synth
