// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stoker/codec/jpeg_index.h"
#include "stoker/pack/check_pack.h"
#include "stoker/pack/count_by_reason.h"
#include "stoker/pack/progress.h"

namespace stoker::pack {

struct PackOptions {
  std::string source;
  std::string folder;                 // to make
  int64_t shard_bytes = 256'000'000;  // about so many, when images_per_shard is 0
  int64_t images_per_shard = 0;
  int64_t part = 0;  // of `parts`, from 0 on: every parts-th shard
  int64_t parts = 1;
  bool convert = true;  // progressive and arithmetic JPEGs and such of several scans to baseline
  bool check = false;
  bool force = false;  // make anew what is there
  int32_t columns = codec::kDefaultIndexColumns;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;  // see Interrupted
};

struct PackReport {
  int64_t samples = 0;  // of the whole set
  int64_t shards = 0;   // likewise
  int64_t images_per_shard = 0;
  // Of this part:
  int64_t shards_made = 0;
  int64_t shards_kept = 0;  // a run before had finished them
  int64_t samples_made = 0;
  int64_t part_samples = 0;
  uint64_t part_bytes = 0;
  CountByReason converted, not_converted;
  // Shards of the whole set that are still to be made, by other parts.
  int64_t shards_missing = 0;
  int64_t indexed = 0;  // samples in the index, which is made when no shard is missing
  std::optional<CheckReport> check;
  std::vector<std::string> warnings;  // of the source
  double elapsed_ms = 0;
};

// What is told of long work: one Progress for shards, one for the check.
struct PackProgress {
  Progress pack = {}, check = {};
};

// Packs a source into tar shards in WebDataset's layout: 000000.tar, 000001.tar ... with the
// samples in the source's order, classes.json and, when all shards are there, .stoker-index. The
// bytes depend on source and options alone, not on threads, parts or interruptions: a shard shows
// up when it is whole, and a run that is begun again goes on behind the last one. Several
// processes may make different parts at once. Throws Error with a hint, and Interrupted.
PackReport pack_set(const PackOptions& options, const PackProgress& progress = {});

}  // namespace stoker::pack
