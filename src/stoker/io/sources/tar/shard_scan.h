// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stoker/io/file.h"
#include "stoker/io/name_table.h"

namespace stoker::io {

constexpr int32_t kNoLabel = std::numeric_limits<int32_t>::min();

// The samples of one tar file in the layout of WebDataset.
struct ShardScan {
  NameTable names;                // of the images' members
  std::vector<uint64_t> offsets;  // of the images' data
  std::vector<uint32_t> sizes;    // the largest number stands for all that are too large
  std::vector<int32_t> labels;    // of the `cls` members; kNoLabel where there is none
  std::vector<std::string> warnings;
  // The file is damaged behind the last sample, so that members of it may be missing.
  bool tail_is_doubtful = false;
};

// Members belong together whose names are equal up to the first dot behind the last slash (the
// key); the rest, in lower case, says what they are. Names without such a dot or that begin with
// one, "__meta__" members, links and folders are left out, and so are keys without an image.
// Where a key has several images, one is taken: jpg before jpeg, png, webp and so on.
//
// Throws Error, naming shard and member, where a guess would be needed: members of a key that do
// not follow each other, two of the same name, a `cls` that is no number, sparse files. Damage is
// a warning: what is whole before it is used. `shown` is the file in messages.
ShardScan scan_shard(int fd, uint64_t file_bytes, const std::string& shown);

}  // namespace stoker::io
