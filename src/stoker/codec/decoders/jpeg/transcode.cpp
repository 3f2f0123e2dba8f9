// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "stoker/codec/decoders/jpeg/error_trap.h"
#include "stoker/codec/decoders/jpeg/header.h"
#include "stoker/codec/decoders/jpeg/memory_source.h"
#include "stoker/codec/jpeg_transcode.h"
#include "stoker/codec/libjpeg.h"

namespace stoker::codec {
namespace {

constexpr uint64_t kMaxPixels = 178956970;
constexpr unsigned kWholeSegment = 0xFFFF;
constexpr UINT16 kMaxBaselineStep = 255;

class Transcoder {
 public:
  Transcoder() {
    in_.err = error_.install();
    out_.err = in_.err;
    jpeg::init_memory_source(source_);
  }
  // Objects that were never created are all zero, which libjpeg takes for destroyed.
  ~Transcoder() {
    jpeg_destroy_compress(&out_);
    jpeg_destroy_decompress(&in_);
    std::free(buffer_);
  }
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;

  Status run(Bytes file, std::vector<uint8_t>& out) {
    if (!guarded(error_, [&] { read_header(file); })) {
      return error_.failure();
    }
    if (uint64_t{in_.image_width} * in_.image_height > kMaxPixels) {
      return {ErrorCode::TooLarge, "more pixels than Pillow decodes"};
    }
    if (!guarded(error_, [&] { coefficients_ = jpeg_read_coefficients(&in_); })) {
      return error_.failure();
    }
    if (!is_complete()) {
      return {ErrorCode::Unsupported, "coefficients are missing, or known in part only"};
    }
    if (!has_baseline_steps()) {
      return {ErrorCode::Unsupported, "quantisation steps beyond 255"};
    }
    if (!guarded(error_, [&] { write(); })) {
      return error_.failure();
    }
    out.assign(buffer_, buffer_ + size_bytes_);
    return {};
  }

 private:
  void read_header(Bytes file) {
    jpeg_create_decompress(&in_);
    in_.src = &source_;
    jpeg::set_memory(source_, file);
    jpeg_save_markers(&in_, jpeg::kCom, kWholeSegment);
    for (int marker = jpeg::kApp0; marker <= jpeg::kApp15; ++marker) {
      jpeg_save_markers(&in_, marker, kWholeSegment);
    }
    jpeg_read_header(&in_, TRUE);
  }

  // Where bits of coefficients are not known, libjpeg smooths progressive images.
  bool is_complete() const {
    for (int c = 0; c < in_.num_components; ++c) {
      if (in_.comp_info[c].quant_table == nullptr) {
        return false;  // no scan had the component
      }
      for (int k = 0; in_.coef_bits != nullptr && k < DCTSIZE2; ++k) {
        if (in_.coef_bits[c][k] != 0) {
          return false;
        }
      }
    }
    return true;
  }

  bool has_baseline_steps() const {
    for (int c = 0; c < in_.num_components; ++c) {
      for (const UINT16 step : in_.comp_info[c].quant_table->quantval) {
        if (step > kMaxBaselineStep) {
          return false;
        }
      }
    }
    return true;
  }

  void write() {
    jpeg_create_compress(&out_);
    jpeg_mem_dest(&out_, &buffer_, &size_bytes_);
    jpeg_copy_critical_parameters(&in_, &out_);
    out_.optimize_coding = TRUE;
    // The segments of the file say the same, and more.
    out_.write_JFIF_header = FALSE;
    out_.write_Adobe_marker = FALSE;
    jpeg_write_coefficients(&out_, coefficients_);
    for (const jpeg_marker_struct* m = in_.marker_list; m != nullptr; m = m->next) {
      jpeg_write_marker(&out_, m->marker, m->data, m->data_length);
    }
    jpeg_finish_compress(&out_);
    jpeg_finish_decompress(&in_);
  }

  jpeg_decompress_struct in_{};
  jpeg_compress_struct out_{};
  jpeg_source_mgr source_{};
  jpeg::ErrorTrap error_{};
  jvirt_barray_ptr* coefficients_ = nullptr;
  unsigned char* buffer_ = nullptr;
  unsigned long size_bytes_ = 0;
};

}  // namespace

Status to_baseline(Bytes file, std::vector<uint8_t>& out) {
  out.clear();
  return Transcoder().run(file, out);
}

}  // namespace stoker::codec
