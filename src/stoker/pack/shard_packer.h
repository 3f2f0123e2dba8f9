// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/io/tar_writer.h"
#include "stoker/pack/member_names.h"
#include "stoker/pack/pack_plan.h"
#include "stoker/pack/shard_end.h"
#include "stoker/pack/shard_file.h"

namespace stoker::pack {

// Makes the shards of a plan, one after the other, each with several threads. The bytes do not
// depend on the number of threads. One thread calls it; borrows what it is made of.
class ShardPacker {
 public:
  struct Setup {
    const io::Source& source;
    const MemberNames& names;
    const PackPlan& plan;
    int threads = 1;
    double mean_bytes = 0;                    // of a sample: bounds what is in memory
    const std::atomic<bool>* stop = nullptr;  // see Interrupted
    std::function<void()> on_sample;          // from any thread, one at a time
  };
  explicit ShardPacker(Setup setup);

  // Writes shard `shard` to `path`, where it shows up when it is whole. Throws Error for a sample
  // that cannot be read and where nothing can be written, and Interrupted.
  ShardEnd pack(int64_t shard, const std::string& path);

 private:
  // One sample on its way.
  struct Packed {
    std::vector<uint8_t> bytes, other;     // the second is memory for conversion
    std::vector<uint8_t> entry;            // of the index; empty: none
    std::string converted, not_converted;  // what it was, where that is to be counted
  };

  void prepare(int64_t sample, Packed& packed) const;
  void append(int64_t first, std::vector<Packed>& block, ShardEnd& end);
  void write_part(ShardFile& file);
  void count_sample();

  Setup setup_;
  int64_t block_samples_;
  io::TarWriter tar_;
  std::vector<uint8_t> part_;
  std::vector<Packed> block_;
  std::vector<std::vector<uint8_t>> entries_;
  std::mutex mutex_;
};

}  // namespace stoker::pack
