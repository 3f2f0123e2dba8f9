// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/member_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/core/hash.h"

namespace stoker::pack {
namespace {

constexpr std::string_view kTarEnd = ".tar:";

bool is_tar_end(std::string_view text) {
  return std::equal(text.begin(), text.end(), kTarEnd.begin(), kTarEnd.end(), [](char c, char e) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == e;
  });
}

// "shard.tar:n0/0001.jpg" to "shard/n0/0001.jpg".
std::string without_tar(std::string_view name) {
  for (size_t at = 0; at + kTarEnd.size() <= name.size(); ++at) {
    if (is_tar_end(name.substr(at, kTarEnd.size()))) {
      return fmt::format("{}/{}", name.substr(0, at), name.substr(at + kTarEnd.size()));
    }
  }
  return std::string(name);
}

bool is_left_out_by_readers(std::string_view key) {
  const std::string_view first = key.substr(0, key.find('/'));
  return first.starts_with("__") && first.ends_with("__");
}

std::string renamed(const std::string& key, int64_t sample) {
  return fmt::format("{}~{}", key, sample);
}

}  // namespace

MemberName member_name_of(std::string_view name) {
  std::string path = without_tar(name);
  const size_t base = path.rfind('/') + 1;  // npos + 1 is 0
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot < base || dot + 1 == path.size()) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("'{}' has no extension", name),
                "give image files names such as 0001.jpg");
  }
  MemberName out{path.substr(0, dot), path.substr(dot + 1)};
  std::replace(out.key.begin() + static_cast<std::ptrdiff_t>(base), out.key.end(), '.', '_');
  if (out.key.size() == base) {
    out.key += '_';
  }
  if (is_left_out_by_readers(out.key)) {
    out.key = fmt::format("-{}", out.key);
  }
  return out;
}

MemberNames::MemberNames(const io::Source& source) : source_(source) {
  std::vector<std::pair<uint64_t, int64_t>> keys;
  keys.reserve(static_cast<size_t>(source.count()));
  for (int64_t sample = 0; sample < source.count(); ++sample) {
    keys.emplace_back(hash_of(member_name_of(source.index_name(sample)).key), sample);
  }
  std::sort(keys.begin(), keys.end());
  for (size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first == keys[i - 1].first) {
      taken_.push_back(keys[i].second);
    }
  }
  std::sort(taken_.begin(), taken_.end());
  for (const int64_t sample : taken_) {
    const std::pair<uint64_t, int64_t> key(hash_of(of(sample).key), 0);
    const auto found = std::lower_bound(keys.begin(), keys.end(), key);
    if (found != keys.end() && found->first == key.first) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("'{}' and '{}' would have the same name", source.index_name(sample),
                              source.index_name(found->second)),
                  "rename one of both");
    }
  }
}

MemberName MemberNames::of(int64_t sample) const {
  MemberName name = member_name_of(source_.index_name(sample));
  if (std::binary_search(taken_.begin(), taken_.end(), sample)) {
    name.key = renamed(name.key, sample);
  }
  return name;
}

}  // namespace stoker::pack
