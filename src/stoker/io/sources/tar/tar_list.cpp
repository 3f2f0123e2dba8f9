// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/sources/tar/tar_list.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <string_view>

#include "stoker/core/error.h"
#include "stoker/core/parallel.h"
#include "stoker/io/hash.h"
#include "stoker/io/list_cache.h"
#include "stoker/io/python_order.h"
#include "stoker/io/sources/tar/shard_scan.h"

namespace stoker::io {
namespace {

constexpr uint32_t kKind = 2;
constexpr int kThreads = 8;  // they wait for the disk more than they compute

struct PythonOrder {
  using is_transparent = void;

  bool operator()(std::string_view a, std::string_view b) const { return python_less(a, b); }
};

ShardScan scan_file(const std::string& path, const std::string& shown, Stamp& stamp,
                    std::atomic<bool>& settled) {
  const FileHandle file = open_to_read(path.c_str());
  const int64_t looked_at_ns = realtime_ns();
  if (!file.is_open() || !stamp_of(file.get(), stamp)) {
    const Status status = system_status("cannot read", shown, errno);
    throw Error(status.code(), status.message(), "give tar files that can be read");
  }
  // Headers lie far apart: reading ahead would read the whole file.
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
  ShardScan scan = scan_shard(file.get(), stamp.size_bytes, shown);
  Stamp after;
  if (!stamp_of(file.get(), after) || after != stamp || !is_settled(stamp, looked_at_ns)) {
    settled = false;
  }
  return scan;
}

// The folder that holds a member: "cat" of "train/cat/1.jpg".
std::string_view folder_of(std::string_view member) {
  const size_t slash = member.rfind('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  const std::string_view folders = member.substr(0, slash);
  const std::string_view last = folders.substr(folders.rfind('/') + 1);  // npos + 1 is 0
  return last == "." ? std::string_view() : last;
}

class Merge {
 public:
  Merge(std::vector<ShardScan>& shards, const std::vector<std::string>& shown, TarList& list)
      : shards_(shards), shown_(shown), list_(list) {
    for (const ShardScan& shard : shards) {
      has_labels_ = has_labels_ || std::any_of(shard.labels.begin(), shard.labels.end(),
                                               [](int32_t label) { return label != kNoLabel; });
      has_whole_ = has_whole_ || shard.names.size() > (shard.tail_is_doubtful ? 1U : 0U);
    }
  }

  void run() {
    reserve();
    if (!has_labels_) {
      find_classes();
    }
    for (size_t i = 0; i < shards_.size(); ++i) {
      list_.shard_begins.push_back(list_.names.size());
      append(shards_[i], shown_[i]);
      shards_[i] = {};
    }
    list_.shard_begins.push_back(list_.names.size());
    if (list_.names.size() == 0) {
      throw Error(ErrorCode::NotFound,
                  fmt::format("'{}' {} no image{}{}", shown_[0],
                              shown_.size() > 1 ? "and the other tar files have" : "has",
                              list_.warnings.empty() ? "" : ": ",
                              list_.warnings.empty() ? "" : list_.warnings[0]),
                  "a sample is a member such as 0001.jpg, with its label in 0001.cls");
    }
  }

 private:
  void reserve() {
    size_t samples = 0;
    size_t characters = 0;
    for (const ShardScan& shard : shards_) {
      samples += shard.names.size();
      characters += shard.names.characters();
    }
    list_.names.reserve(samples, characters);
    list_.offsets.reserve(samples);
    list_.sizes.reserve(samples);
    list_.labels.reserve(samples);
  }

  void find_classes() {
    for (size_t i = 0; i < shards_.size(); ++i) {
      for (size_t sample = 0; sample < shards_[i].names.size(); ++sample) {
        const std::string_view member = shards_[i].names[sample];
        const std::string_view folder = folder_of(member);
        if (folder.empty()) {
          no_label(member, shown_[i], "neither a cls member nor a folder in its name");
        }
        if (!labels_.contains(folder)) {
          labels_.emplace(folder, 0);
        }
      }
    }
    for (auto& [name, label] : labels_) {
      label = static_cast<int32_t>(list_.classes.size());
      list_.classes.push_back(name);
    }
  }

  void append(const ShardScan& shard, const std::string& shown) {
    for (size_t i = 0; i < shard.names.size(); ++i) {
      const std::string_view member = shard.names[i];
      int32_t label = shard.labels[i];
      const bool doubtful = shard.tail_is_doubtful && i + 1 == shard.names.size();
      if (label == kNoLabel && doubtful && (has_labels_ || !has_whole_)) {
        continue;  // its label may have been cut off
      }
      if (!has_labels_) {
        label = labels_.find(folder_of(member))->second;
      } else if (label == kNoLabel) {
        no_label(member, shown, "no cls member, but others have one");
      }
      list_.names.add(member);
      list_.offsets.push_back(shard.offsets[i]);
      list_.sizes.push_back(shard.sizes[i]);
      list_.labels.push_back(label);
    }
    list_.warnings.insert(list_.warnings.end(), shard.warnings.begin(), shard.warnings.end());
  }

  [[noreturn]] static void no_label(std::string_view member, const std::string& shown,
                                    std::string_view why) {
    throw Error(ErrorCode::NotFound, fmt::format("'{}' in '{}' has {}", member, shown, why),
                "give every sample a cls member with its label, or put the images of each class "
                "into a folder of the tar file");
  }

  std::vector<ShardScan>& shards_;
  const std::vector<std::string>& shown_;
  TarList& list_;
  bool has_labels_ = false;
  bool has_whole_ = false;  // a sample of which surely nothing is missing
  std::map<std::string, int32_t, PythonOrder> labels_;  // of folders
};

std::string cache_key(const std::vector<std::string>& paths) {
  std::string key = "tar";
  for (const std::string& path : paths) {
    key += '\0' + path;
  }
  return key;
}

bool is_unchanged(const std::vector<std::string>& paths, const TarList& list) {
  std::atomic<bool> same = list.stamps.size() == paths.size();
  if (same) {
    parallel_for(0, static_cast<int64_t>(paths.size()), paths.size() < 64 ? 1 : kThreads,
                 [&](int /*thread*/, int64_t i) {
                   const auto shard = static_cast<size_t>(i);
                   Stamp now;
                   if (!stamp_of(paths[shard].c_str(), now) || now != list.stamps[shard]) {
                     same = false;
                   }
                 });
  }
  return same;
}

bool load(const std::string& cache, const std::vector<std::string>& paths, TarList& list) {
  ListReader reader(cache, kKind);
  std::vector<std::string> kept_paths;
  return reader.strings(kept_paths) && kept_paths == paths && TarList::exchange(list, reader) &&
         reader.finish() && list.is_sound(paths.size()) && is_unchanged(paths, list);
}

}  // namespace

size_t TarList::shard_of(int64_t sample) const {
  const auto behind =
      std::upper_bound(shard_begins.begin(), shard_begins.end(), static_cast<uint64_t>(sample));
  return static_cast<size_t>(behind - shard_begins.begin()) - 1;
}

bool TarList::is_sound(size_t shards) const {
  const auto count = names.size();
  return count > 0 && offsets.size() == count && sizes.size() == count && labels.size() == count &&
         stamps.size() == shards && shard_begins.size() == shards + 1 && shard_begins[0] == 0 &&
         shard_begins[shards] == count && std::is_sorted(shard_begins.begin(), shard_begins.end());
}

uint64_t TarList::fingerprint() const {
  HashWriter hash;
  (void)exchange_samples(*this, hash);
  return hash.value();
}

TarList load_tars(const std::vector<std::string>& paths, const std::vector<std::string>& shown) {
  const std::string cache = list_cache_path(cache_key(paths));
  TarList kept;
  if (!cache.empty() && load(cache, paths, kept)) {
    return kept;
  }
  TarList list;
  list.stamps.resize(paths.size());
  std::vector<ShardScan> shards(paths.size());
  std::atomic<bool> settled = true;
  const int threads = static_cast<int>(std::min<size_t>(paths.size(), kThreads));
  parallel_for(0, static_cast<int64_t>(paths.size()), threads, [&](int /*thread*/, int64_t i) {
    const auto shard = static_cast<size_t>(i);
    shards[shard] = scan_file(paths[shard], shown[shard], list.stamps[shard], settled);
  });
  Merge(shards, shown, list).run();
  if (!cache.empty() && settled) {
    ListWriter writer(cache, kKind);
    // Not being able to keep it is no fault: it is found again by a scan.
    (void)(writer.strings(paths) && TarList::exchange(list, writer) && writer.finish());
  }
  return list;
}

}  // namespace stoker::io
