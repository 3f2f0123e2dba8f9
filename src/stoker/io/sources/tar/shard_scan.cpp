// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/sources/tar/shard_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/io/hash.h"
#include "stoker/io/tar_reader.h"

namespace stoker::io {
namespace {

constexpr std::array<std::string_view, 11> kImages = {"jpg", "jpeg", "png", "webp", "ppm", "pgm",
                                                      "pbm", "bmp",  "gif", "tif",  "tiff"};
constexpr size_t kNoImage = kImages.size();
constexpr uint64_t kMaxLabelBytes = 64;

struct SplitName {
  std::string_view key;
  std::string extension;  // lower case
};

std::optional<SplitName> split(std::string_view name) {
  const size_t base = name.rfind('/') + 1;  // npos + 1 is 0
  const size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot == base) {
    return std::nullopt;
  }
  SplitName parts{name.substr(0, dot), std::string(name.substr(dot + 1))};
  for (char& c : parts.extension) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return parts;
}

// "__url__" and the like describe the archive.
bool is_meta(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

std::optional<int32_t> parse_label(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  text = text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  int32_t label = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && label != kNoLabel ? std::optional(label) : std::nullopt;
}

class Scan {
 public:
  Scan(int fd, uint64_t file_bytes, const std::string& shown)
      : reader_(fd, file_bytes), shown_(shown) {}

  ShardScan run() {
    TarMember member;
    while (reader_.next(member)) {
      take(member);
    }
    finish_group();
    refuse_scattered_keys();
    out_.tail_is_doubtful = !reader_.has_end_mark() && last_group_is_sample_;
    add_warnings();
    out_.names.shrink();
    out_.offsets.shrink_to_fit();
    out_.sizes.shrink_to_fit();
    out_.labels.shrink_to_fit();
    return std::move(out_);
  }

 private:
  struct Group {
    std::string key;
    std::vector<std::string> extensions;
    size_t image_rank = kNoImage;
    std::string image;
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    int32_t label = kNoLabel;
  };

  void take(const TarMember& member) {
    const std::optional<SplitName> name = split(member.name);
    if (!name || is_meta(member.name) || member.type == TarType::Other) {
      return;
    }
    if (member.type == TarType::Link) {
      ++links_;
      return;
    }
    if (member.type == TarType::Sparse) {
      refuse(ErrorCode::Unsupported, member.name, "is stored as a sparse file",
             "write the shard anew without tar's --sparse");
    }
    if (group_.extensions.empty() || name->key != group_.key) {
      finish_group();
      group_.key = name->key;
      keys_.emplace_back(hash_of(name->key), static_cast<uint32_t>(key_names_.size()));
      key_names_.add(name->key);
    }
    add(member, name->extension);
  }

  void add(const TarMember& member, const std::string& extension) {
    if (std::find(group_.extensions.begin(), group_.extensions.end(), extension) !=
        group_.extensions.end()) {
      refuse(ErrorCode::Corrupt, member.name, "is there twice",
             "write the shard anew with each name once");
    }
    group_.extensions.push_back(extension);
    const auto rank =
        static_cast<size_t>(std::find(kImages.begin(), kImages.end(), extension) - kImages.begin());
    if (rank < group_.image_rank) {
      group_.image_rank = rank;
      group_.image = member.name;
      group_.offset = member.offset;
      group_.size_bytes = member.size_bytes;
    }
    if (extension == "cls") {
      std::string text;
      const bool read = member.size_bytes <= kMaxLabelBytes && reader_.read_text(member, text);
      const std::optional<int32_t> label = read ? parse_label(text) : std::nullopt;
      if (!label) {
        refuse(ErrorCode::Corrupt, member.name, "holds no label",
               "a cls member is one whole number of 32 bits in ASCII");
      }
      group_.label = *label;
    }
  }

  void finish_group() {
    last_group_is_sample_ = group_.image_rank != kNoImage;
    if (last_group_is_sample_) {
      out_.names.add(group_.image);
      out_.offsets.push_back(group_.offset);
      out_.sizes.push_back(static_cast<uint32_t>(
          std::min<uint64_t>(group_.size_bytes, std::numeric_limits<uint32_t>::max())));
      out_.labels.push_back(group_.label);
    } else if (!group_.extensions.empty() && ++imageless_ == 1) {
      first_imageless_ = group_.key;
    }
    group_ = {};
  }

  void refuse_scattered_keys() {
    std::sort(keys_.begin(), keys_.end());
    for (size_t i = 1; i < keys_.size(); ++i) {
      // Of equal hashes every pair is compared, in case that two names share one.
      for (size_t j = i; j > 0 && keys_[j - 1].first == keys_[i].first; --j) {
        const std::string key(key_names_[keys_[i].second]);
        if (key_names_[keys_[j - 1].second] == key) {
          refuse(ErrorCode::Corrupt, key + ".*", "do not lie one after the other",
                 "write the shard anew in the order of names, as tar's --sort=name does");
        }
      }
    }
  }

  void add_warnings() {
    if (!reader_.damage().empty()) {
      out_.warnings.push_back(
          fmt::format("'{}' is damaged at byte {}: {}; the {} samples before are used", shown_,
                      reader_.damage_offset(), reader_.damage(), out_.names.size()));
    }
    if (imageless_ > 0) {
      out_.warnings.push_back(
          fmt::format("'{}' has {} keys without an image, which are left out; the first is '{}'",
                      shown_, imageless_, first_imageless_));
    }
    if (links_ > 0) {
      out_.warnings.push_back(fmt::format("'{}' has {} links, which are left out", shown_, links_));
    }
  }

  [[noreturn]] void refuse(ErrorCode code, std::string_view member, std::string_view what,
                           const std::string& hint) const {
    throw Error(code, fmt::format("'{}' in '{}' {}", member, shown_, what), hint);
  }

  TarReader reader_;
  const std::string& shown_;
  ShardScan out_;
  Group group_;
  bool last_group_is_sample_ = false;
  std::vector<std::pair<uint64_t, uint32_t>> keys_;  // hash, number in key_names_
  NameTable key_names_;
  int64_t links_ = 0;
  int64_t imageless_ = 0;
  std::string first_imageless_;
};

}  // namespace

ShardScan scan_shard(int fd, uint64_t file_bytes, const std::string& shown) {
  return Scan(fd, file_bytes, shown).run();
}

}  // namespace stoker::io
