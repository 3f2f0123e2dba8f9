// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stoker/core/status.h"
#include "stoker/io/tar_writer.h"
#include "stoker/pack/count_by_reason.h"

namespace stoker::pack {

// What the last two members of a packed shard say of it. Readers leave them out, since their names
// begin with a dot: ".stoker-index" holds the index entries of its samples (sizes as 32-bit
// numbers, little-endian, then the entries; size 0: none), ".stoker-shard" is JSON of 1,024 bytes
// at a known place before the end mark.
struct ShardEnd {
  uint64_t plan = 0;  // PackPlan::hash()
  int64_t shard = 0;
  int64_t samples = 0;
  uint64_t shard_bytes = 0;  // of the whole file
  uint64_t index_offset = 0;
  uint64_t index_bytes = 0;
  CountByReason converted = {};      // by what the files were before
  CountByReason not_converted = {};  // by what they are, and why
};

// Adds both members and the end mark. `written_bytes`: what was taken from `tar` before;
// `entries`: of the samples, in their order. Fills in sizes and offsets of `end`; gives the last
// part of the file.
std::vector<uint8_t> finish_shard(io::TarWriter& tar, uint64_t written_bytes,
                                  const std::vector<std::vector<uint8_t>>& entries, ShardEnd& end);

// NotFound: there is no such file; Corrupt: it is not whole, or not one of ours.
Result<ShardEnd> read_shard_end(const std::string& path);

// Index entries of a shard, by sample; empty ones: none.
Result<std::vector<std::vector<uint8_t>>> read_shard_index(const std::string& path,
                                                           const ShardEnd& end);

}  // namespace stoker::pack
