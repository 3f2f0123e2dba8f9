// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/io/source.h"

namespace stoker::pack {

// Name of a sample in a tar file in the layout of WebDataset: members are key + "." + extension.
struct MemberName {
  std::string key;        // "cat/0001": no dot behind its last slash
  std::string extension;  // "jpg", as the file has it
};

// "cat/0001.jpg", or "shard.tar:n0/0001.jpg", which gives the key "shard/n0/0001". Further dots
// become "_", and so does an empty stem; a first folder such as "__meta__", which readers leave
// out, gets a "-" in front. Throws Error for a name without an extension.
MemberName member_name_of(std::string_view name);

// The member names of all samples of a source: no two have the same key, whatever their folders
// and extensions. Reading is thread-safe; borrows the source.
class MemberNames {
 public:
  explicit MemberNames(const io::Source& source);
  MemberName of(int64_t sample) const;

 private:
  const io::Source& source_;
  std::vector<int64_t> taken_;  // samples whose key an earlier one has; ascending
};

}  // namespace stoker::pack
