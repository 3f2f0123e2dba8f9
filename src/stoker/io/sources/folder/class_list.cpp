// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/sources/folder/class_list.h"

#include <algorithm>

#include "stoker/core/error.h"
#include "stoker/io/hash.h"
#include "stoker/io/list_cache.h"

namespace stoker::io {
namespace {

constexpr uint32_t kKind = 1;
constexpr int kThreads = 8;  // they wait for the file system more than they compute

// The root also changes when an index is written beside the classes.
bool are_classes(const std::string& root, const std::vector<std::string>& classes) {
  try {
    WalkRecord ignored;
    return find_classes(root, root, ignored) == classes;
  } catch (const Error&) {
    return false;
  }
}

bool is_unchanged(const std::string& root, const WalkRecord& record, const ClassList& list) {
  for (size_t i = 0; i < record.folders.size(); ++i) {
    PathBuffer path;
    path.add(root).add("/").add(record.folders[i]);
    Stamp now;
    const bool same = stamp_of(path.c_str(), now) && now == record.stamps[i];
    if (!same && (!record.folders[i].empty() || !are_classes(root, list.classes))) {
      return false;
    }
  }
  return record.folders.size() > 0;
}

bool load(const std::string& path, const std::string& root, ClassList& list) {
  ListReader reader(path, kKind);
  WalkRecord record;
  std::vector<std::string> roots;
  return reader.strings(roots) && roots == std::vector<std::string>{root} &&
         WalkRecord::exchange(record, reader) && ClassList::exchange(list, reader) &&
         reader.finish() && list.is_sound() && is_unchanged(root, record, list);
}

}  // namespace

bool ClassList::is_sound() const {
  const auto below = [](const std::vector<uint32_t>& numbers, size_t limit) {
    return std::all_of(numbers.begin(), numbers.end(), [&](uint32_t n) { return n < limit; });
  };
  return folder_labels.size() == folders.size() && folder_of.size() == names.size() &&
         below(folder_labels, classes.size()) && below(folder_of, folders.size());
}

uint64_t ClassList::fingerprint() const {
  HashWriter parts;
  (void)exchange(*this, parts);
  return parts.value();
}

void keep_classes(const std::string& root, const ClassList& list, const WalkRecord& record) {
  const std::string path = list_cache_path(root);
  if (path.empty()) {
    return;
  }
  ListWriter writer(path, kKind);
  const std::vector<std::string> roots = {root};
  (void)(writer.strings(roots) && WalkRecord::exchange(record, writer) &&
         ClassList::exchange(list, writer) && writer.finish());
}

ClassList load_classes(const std::string& root, const std::string& shown,
                       std::vector<std::string>& warnings) {
  const std::string cache = list_cache_path(root);
  ClassList list;
  if (!cache.empty() && load(cache, root, list)) {
    return list;
  }
  WalkRecord record;
  list = walk_classes(root, shown, kThreads, record);
  if (record.settled) {
    keep_classes(root, list, record);
  }
  warnings.insert(warnings.end(), record.warnings.begin(), record.warnings.end());
  return list;
}

}  // namespace stoker::io
