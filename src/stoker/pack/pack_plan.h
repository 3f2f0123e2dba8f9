// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "stoker/core/json.h"
#include "stoker/core/status.h"
#include "stoker/io/source.h"

namespace stoker::pack {

// What makes the bytes of a packed set; DST/.stoker-pack holds it. Every process that packs a part
// of the set finds the same plan.
struct PackPlan {
  uint64_t fingerprint = 0;  // of the source
  int64_t samples = 0;
  int64_t shard_bytes = 0;  // what was asked for; 0: a number of images
  int64_t images_per_shard = 0;
  bool convert = true;
  int32_t columns = 0;  // of the index

  bool operator==(const PackPlan&) const = default;
  int64_t shards() const { return (samples + images_per_shard - 1) / images_per_shard; }
  int64_t first_sample(int64_t shard) const { return shard * images_per_shard; }
  int64_t end_sample(int64_t shard) const;
  // Tells shards of one plan from those of another.
  uint64_t hash() const;

  Json to_json() const;
  static Result<PackPlan> from_json(const Json& json);
};

std::string plan_path_in(const std::string& folder);
// NotFound where there is none.
Result<PackPlan> read_plan(const std::string& folder);
// "the source has changed; --images was 100 and is 50": what `asked` wants otherwise.
std::string differences(const PackPlan& there, const PackPlan& asked);

// Mean size of up to 256 samples, spread evenly: the same in every process.
double mean_sample_bytes(const io::Source& source);

// "000012.tar"
std::string shard_name(int64_t shard);
// The number of a shard by its file name; -1 for any other name.
int64_t shard_of_name(const std::string& name);

}  // namespace stoker::pack
