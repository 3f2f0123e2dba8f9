// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/shard_packer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/jpeg_transcode.h"
#include "stoker/core/error.h"
#include "stoker/core/parallel.h"
#include "stoker/pack/jpeg_kind.h"
#include "stoker/pack/progress.h"

namespace stoker::pack {
namespace {

constexpr double kBlockBytes = 64e6;
constexpr double kMostBlockSamples = 512;

void require(const Status& status) {
  if (!status.ok()) {
    throw Error(ErrorCode::IoError, status.message(),
                "is there room on the disk, and may you write there?");
  }
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

ShardPacker::ShardPacker(Setup setup)
    : setup_(std::move(setup)),
      block_samples_(static_cast<int64_t>(
          std::clamp(kBlockBytes / std::max(setup_.mean_bytes, 1.0), 2.0 * setup_.threads,
                     std::max(kMostBlockSamples, 2.0 * setup_.threads)))) {}

ShardEnd ShardPacker::pack(int64_t shard, const std::string& path) {
  ShardEnd end{.plan = setup_.plan.hash(), .shard = shard};
  ShardFile file(path);
  entries_.clear();
  part_.clear();
  tar_ = {};
  const int64_t last = setup_.plan.end_sample(shard);
  for (int64_t first = setup_.plan.first_sample(shard); first < last; first += block_samples_) {
    const int64_t behind = std::min(first + block_samples_, last);
    block_.resize(static_cast<size_t>(behind - first));
    // The block before is written while this one is prepared.
    parallel_for(first - 1, behind, setup_.threads, [&](int /*thread*/, int64_t sample) {
      end_if_asked(setup_.stop);
      if (sample < first) {
        write_part(file);
        return;
      }
      prepare(sample, block_[static_cast<size_t>(sample - first)]);
      count_sample();
    });
    append(first, block_, end);
  }
  write_part(file);
  require(file.write(finish_shard(tar_, file.written_bytes(), entries_, end)));
  end_if_asked(setup_.stop);
  require(file.publish());
  return end;
}

void ShardPacker::prepare(int64_t sample, Packed& packed) const {
  packed.converted.clear();
  packed.not_converted.clear();
  if (const Status status = setup_.source.read(sample, packed.bytes); !status.ok()) {
    throw Error(ErrorCode::IoError, status.message(),
                "every sample must be in the set: repair or remove this one and run the command "
                "again");
  }
  const JpegKind kind = kind_of_jpeg(packed.bytes);
  if (setup_.plan.convert && gains_by_baseline(kind)) {
    const Status status = codec::to_baseline(packed.bytes, packed.other);
    if (status.ok()) {
      packed.bytes.swap(packed.other);
      packed.converted = name_of(kind);
    } else {
      packed.not_converted = fmt::format("{} ({})", name_of(kind), error_name(status.code()));
    }
  }
  // What has no index is decoded without it.
  (void)codec::make_jpeg_index(packed.bytes, setup_.plan.columns, packed.entry).ok();
}

void ShardPacker::append(int64_t first, std::vector<Packed>& block, ShardEnd& end) {
  for (size_t i = 0; i < block.size(); ++i) {
    const int64_t sample = first + static_cast<int64_t>(i);
    Packed& packed = block[i];
    const MemberName name = setup_.names.of(sample);
    require(tar_.add(fmt::format("{}.{}", name.key, name.extension), packed.bytes));
    const std::string label = fmt::format("{}", setup_.source.label(sample));
    require(tar_.add(fmt::format("{}.cls", name.key), bytes_of(label)));
    entries_.push_back(packed.entry);
    if (!packed.converted.empty()) {
      end.converted.add(packed.converted);
    }
    if (!packed.not_converted.empty()) {
      end.not_converted.add(packed.not_converted);
    }
  }
}

// What was appended before goes to the file.
void ShardPacker::write_part(ShardFile& file) {
  tar_.take(part_);
  require(file.write(part_));
}

void ShardPacker::count_sample() {
  const std::lock_guard lock(mutex_);
  if (setup_.on_sample) {
    setup_.on_sample();
  }
}

}  // namespace stoker::pack
