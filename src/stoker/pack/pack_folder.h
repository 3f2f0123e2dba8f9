// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/pack/pack_plan.h"
#include "stoker/pack/shard_end.h"

namespace stoker::pack {

// The folder of a packed set: makes sure that everything in it follows one plan.
class PackFolder {
 public:
  // Makes the folder and its plan, or finds the same plan there. A folder that holds something
  // else is refused with an Error that says what; `force` replaces another packed set, but nothing
  // that is none of ours. Of a plan by shard_bytes, the number of images of the plan that is there
  // is taken into `plan`.
  PackFolder(std::string path, PackPlan& plan, bool force);

  std::string shard_path(int64_t shard) const;
  // Is the shard there, whole and of this plan?
  bool has_shard(int64_t shard, ShardEnd& end) const;
  // Room for so many bytes more, or an Error (IoError).
  void require_room(double bytes) const;
  void write_classes(const std::vector<std::string>& classes) const;
  std::string index_path() const { return path_ + "/.stoker-index"; }
  std::string lock_path() const { return path_ + "/.stoker-pack.lock"; }

 private:
  void settle_plan(PackPlan& plan, bool force) const;
  void refuse_what_is_not_ours() const;
  void remove_ours() const;

  std::string path_;
  uint64_t plan_hash_ = 0;
};

}  // namespace stoker::pack
