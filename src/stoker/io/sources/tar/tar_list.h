// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/io/file.h"
#include "stoker/io/name_table.h"

namespace stoker::io {

// The samples of several tar files, one file after the other. 20 bytes a sample and its name.
struct TarList {
  std::vector<Stamp> stamps;           // by shard: the files that were read
  std::vector<uint64_t> shard_begins;  // first sample of each shard; last the number of samples
  NameTable names;                     // of the images' members
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> sizes;
  std::vector<int32_t> labels;
  std::vector<std::string> classes;
  std::vector<std::string> warnings;

  template <class List, class Exchange>
  static bool exchange(List& list, Exchange& with) {
    return with.array(list.stamps) && with.array(list.shard_begins) &&
           exchange_samples(list, with) && with.array(list.offsets) && with.array(list.sizes) &&
           with.strings(list.warnings);
  }
  // What tells one set of samples from another, wherever it lies.
  template <class List, class Exchange>
  static bool exchange_samples(List& list, Exchange& with) {
    return NameTable::exchange(list.names, with) && with.array(list.labels) &&
           with.strings(list.classes);
  }
  size_t shard_of(int64_t sample) const;
  bool is_sound(size_t shards) const;
  uint64_t fingerprint() const;
};

// Reads the headers of all files (absolute paths; `shown` are their names in messages), each by
// one thread, or takes the list from the cache while no file has changed. Labels are those of
// the `cls` members; where there is none at all, the folders in the members' names are the
// classes. Throws Error, see scan_shard(), and where there is no sample.
TarList load_tars(const std::vector<std::string>& paths, const std::vector<std::string>& shown);

}  // namespace stoker::io
