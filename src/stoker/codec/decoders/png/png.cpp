// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "stoker/codec/check_request.h"
#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/png/header.h"
#include "stoker/codec/decoders/png/row_stream.h"
#include "stoker/codec/decoders/png/side_chunks.h"
#include "stoker/codec/decoders/png/unpack.h"

namespace stoker::codec {
namespace {

using png::ColourType;
using png::Header;
using png::Span;

constexpr uint64_t kDeflateRatio = 1032;  // the most bytes that deflate makes of one

// A pass of an interlaced image: every step-th pixel and row from the first on.
struct Pass {
  size_t x, y, x_step, y_step;
};
constexpr std::array<Pass, 7> kPasses = {{{0, 0, 8, 8},
                                          {4, 0, 8, 8},
                                          {0, 4, 4, 8},
                                          {2, 0, 4, 4},
                                          {0, 2, 2, 4},
                                          {1, 0, 2, 2},
                                          {0, 1, 1, 2}}};
constexpr Pass kWhole = {0, 0, 1, 1};

// How many of first, first + step, ... are below `end`.
size_t count_below(size_t end, size_t first, size_t step) {
  return end <= first ? 0 : (end - first + step - 1) / step;
}

class PngState : public DecoderState {
 public:
  Result<ImageInfo> read_info(Bytes data) override {
    header_of_ = {};
    if (Status status = png::read_header(data, side_, header_); !status.ok()) {
      return status;
    }
    info_ = {};
    info_.width = static_cast<int32_t>(header_.width);
    info_.height = static_cast<int32_t>(header_.height);
    info_.channels = header_.colour == ColourType::Grey ? 1 : 3;
    header_of_ = data;
    return info_;
  }

  // All rows are inflated, since Pillow fails on a bad one below the region too.
  Status decode(Bytes data, const DecodeRequest& request, const ImageView& out) override {
    if (data.empty() || data.data() != header_of_.data() || data.size() != header_of_.size()) {
      if (const Result<ImageInfo> info = read_info(data); !info.ok()) {
        return info.status();
      }
    }
    header_of_ = {};  // the bytes may change before the next call
    if (Status status = check_request(info_, request, out); !status.ok()) {
      return status;
    }
    const size_t row_bytes = header_.row_bytes(header_.width);
    if (uint64_t{row_bytes} * header_.height / kDeflateRatio > header_.idat.size()) {
      return {ErrorCode::Truncated, "too few data for so many pixels"};
    }
    rows_.start(header_.idat, row_bytes);
    unpacker_.start(header_, request.format);
    bool done = true;
    if (header_.interlaced) {
      for (const Pass& pass : kPasses) {
        rows_.forget_row_above();
        done = done && read_pass(pass, request.region, out);
      }
    } else {
      done = read_pass(kWhole, request.region, out);
    }
    return done && rows_.at_end() ? Status() : rows_.failure();
  }

 private:
  bool read_pass(const Pass& pass, const Region& region, const ImageView& out) {
    const auto x0 = static_cast<size_t>(region.x0);
    const auto y0 = static_cast<size_t>(region.y0);
    const auto y1 = static_cast<size_t>(region.y1);
    const size_t width = count_below(header_.width, pass.x, pass.x_step);
    if (width == 0) {
      return true;
    }
    const size_t row_bytes = header_.row_bytes(width);
    const size_t filter_bytes = header_.filter_bytes();
    Span span;
    span.first = count_below(x0, pass.x, pass.x_step);
    span.count = count_below(static_cast<size_t>(region.x1), pass.x, pass.x_step) - span.first;
    span.step = pass.x_step;
    const size_t skipped = pass.x + span.first * pass.x_step - x0;  // left of the first pixel
    for (size_t y = pass.y; y < header_.height; y += pass.y_step) {
      const uint8_t* row = rows_.next(row_bytes, filter_bytes, y < y1);
      if (row == nullptr) {
        return false;
      }
      if (y >= y0 && y < y1 && span.count > 0) {
        unpacker_.run(
            row, span,
            out.row(static_cast<int32_t>(y - y0)) + skipped * static_cast<size_t>(out.channels));
      }
    }
    return true;
  }

  png::SideChunks side_;
  png::RowStream rows_;
  png::Unpacker unpacker_;
  Header header_;
  ImageInfo info_;
  Bytes header_of_;  // what header_ was read from
};

std::unique_ptr<DecoderState> make_png_state() {
  return std::make_unique<PngState>();
}

}  // namespace

Decoder decoder_png();

Decoder decoder_png() {
  return {.id = "png",
          .help = "PNG of every kind but animations, with the pixels of Pillow's convert(\"RGB\")",
          .probe = png::has_signature,
          .make_state = make_png_state};
}

}  // namespace stoker::codec
