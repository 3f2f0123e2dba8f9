// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/check_pack.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "stoker/codec/decoders_registry.h"
#include "stoker/core/buffer.h"
#include "stoker/core/error.h"
#include "stoker/core/parallel.h"

namespace stoker::pack {
namespace {

constexpr size_t kMostDifferences = 20;

// A decoded image or part of one, packed.
struct Pixels {
  Buffer memory;
  ImageView view;

  bool operator==(const Pixels& other) const {
    const auto bytes = [](const ImageView& v) { return v.stride_bytes * size_t(v.height); };
    return view.width == other.view.width && view.height == other.view.height &&
           view.channels == other.view.channels &&
           std::memcmp(view.data, other.view.data, bytes(view)) == 0;
  }
  // Is `part` what lies at `region`?
  bool holds(const Region& region, const Pixels& part) const {
    for (int32_t y = 0; y < region.height(); ++y) {
      const uint8_t* here =
          view.row(region.y0 + y) + static_cast<size_t>(region.x0 * view.channels);
      if (std::memcmp(here, part.view.row(y), part.view.stride_bytes) != 0) {
        return false;
      }
    }
    return true;
  }
};

// All decoders, for one thread.
class AnyDecoder {
 public:
  AnyDecoder() : kinds_(codec::all_decoders()) {
    for (const codec::Decoder& kind : kinds_) {
      states_.push_back(kind.make_state());
    }
  }

  // Of the whole image, or of its middle: a region that an index pays for.
  Status decode(codec::Bytes data, codec::Bytes index, bool middle, Region& region, Pixels& out) {
    codec::DecoderState* const state = state_for(data);
    if (state == nullptr) {
      return {ErrorCode::Unsupported, "no decoder of this format"};
    }
    const Result<codec::ImageInfo> info = state->read_info_indexed(data, index);
    if (!info.ok()) {
      return info.status();
    }
    region = {0, 0, info->width, info->height};
    if (middle) {
      region = {info->width / 3, info->height / 3, info->width / 3 + (info->width + 2) / 3,
                info->height / 3 + (info->height + 2) / 3};
    }
    const bool grey = info->channels == 1;
    const int32_t channels = grey ? 1 : 3;
    const size_t stride = static_cast<size_t>(region.width()) * static_cast<size_t>(channels);
    out.view = {out.memory.resize(stride * static_cast<size_t>(region.height())), region.width(),
                region.height(), channels, stride};
    return state->decode(data,
                         {.region = region,
                          .format = grey ? codec::PixelFormat::Grey : codec::PixelFormat::Rgb,
                          .index = index},
                         out.view);
  }

 private:
  codec::DecoderState* state_for(codec::Bytes data) {
    for (size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].probe(data)) {
        return states_[i].get();
      }
    }
    return nullptr;
  }

  std::vector<codec::Decoder> kinds_;
  std::vector<std::unique_ptr<codec::DecoderState>> states_;
};

enum class Found : uint8_t { SameBytes, SamePixels, Different };

struct Finding {
  Found found = Found::Different;
  bool index_region = false;
  std::string difference;
};

// One a thread.
class SampleChecker {
 public:
  SampleChecker(const io::Source& original, const io::Source& packed)
      : original_(original), packed_(packed) {}

  Finding check(int64_t original, int64_t packed) {
    try {
      return compare(original, packed);
    } catch (const std::bad_alloc&) {
      return different("there is no memory left for the pixels");
    }
  }

 private:
  static Finding different(const std::string& what) {
    Finding finding;
    finding.difference = what;
    return finding;
  }

  Finding compare(int64_t original, int64_t packed) {
    for (const Status& status : {original_.read(original, before_), packed_.read(packed, after_)}) {
      if (!status.ok()) {
        return different(status.message());
      }
    }
    if (original_.label(original) != packed_.label(packed)) {
      return different(
          fmt::format("the label is {}, not {}", packed_.label(packed), original_.label(original)));
    }
    Finding finding;
    finding.found = before_ == after_ ? Found::SameBytes : Found::SamePixels;
    const bool has_entry = packed_.read_index(packed, entry_).ok() && !entry_.empty();
    const bool decoded = (has_entry || finding.found != Found::SameBytes) &&
                         decoder_.decode(after_, {}, false, whole_, pixels_).ok();
    if (finding.found == Found::SamePixels) {
      if (!decoded || !decoder_.decode(before_, {}, false, whole_, before_pixels_).ok()) {
        return different("it is not the same file, and cannot be decoded to compare pixels");
      }
      if (!(pixels_ == before_pixels_)) {
        return different("pixels differ");
      }
    }
    if (decoded && has_entry) {
      Region region;
      const Status status = decoder_.decode(after_, entry_, true, region, part_);
      if (!status.ok() || !pixels_.holds(region, part_)) {
        return different("pixels differ when they are decoded with the index");
      }
      finding.index_region = true;
    }
    return finding;
  }

  const io::Source& original_;
  const io::Source& packed_;
  std::vector<uint8_t> before_, after_, entry_;
  AnyDecoder decoder_;
  Pixels pixels_, before_pixels_, part_;
  Region whole_;
};

void count(const Finding& finding, CheckReport& report) {
  ++report.samples;
  report.same_bytes += finding.found == Found::SameBytes ? 1 : 0;
  report.same_pixels += finding.found == Found::SamePixels ? 1 : 0;
  report.index_regions += finding.index_region ? 1 : 0;
  report.different += finding.found == Found::Different ? 1 : 0;
}

}  // namespace

CheckReport check_pack(const io::Source& original, const io::Source& packed,
                       const std::vector<int64_t>& samples, const CheckOptions& options,
                       const Progress& progress) {
  const auto total = static_cast<int64_t>(samples.size());
  if (packed.count() != total) {
    throw Error(ErrorCode::Corrupt,
                fmt::format("the packed set has {} samples, not {}", packed.count(), total),
                "make it anew with --force");
  }
  std::vector<std::unique_ptr<SampleChecker>> checkers;
  checkers.reserve(static_cast<size_t>(options.threads));
  for (int thread = 0; thread < options.threads; ++thread) {
    checkers.push_back(std::make_unique<SampleChecker>(original, packed));
  }
  CheckReport report;
  std::mutex mutex;
  parallel_for(0, total, options.threads, [&](int thread, int64_t i) {
    end_if_asked(options.stop);
    const Finding finding =
        checkers[static_cast<size_t>(thread)]->check(samples[static_cast<size_t>(i)], i);
    const std::lock_guard lock(mutex);
    count(finding, report);
    if (finding.found == Found::Different && report.differences.size() < kMostDifferences) {
      report.differences.push_back(fmt::format("{}: {}", packed.name(i), finding.difference));
    }
    if (progress) {
      progress(report.samples, total);
    }
  });
  return report;
}

}  // namespace stoker::pack
