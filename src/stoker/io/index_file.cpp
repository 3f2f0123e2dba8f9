// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/index_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "stoker/core/error.h"
#include "stoker/core/process_paths.h"
#include "stoker/io/index_format.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;

Status damaged(const std::string& path, std::string_view what) {
  return {ErrorCode::Corrupt, fmt::format("the index '{}' is not used: {}", path, what)};
}

// The newer of both places; a missing file is older than any.
std::vector<std::string> places(const std::string& folder) {
  std::vector<std::string> paths = {index_path_in(folder), index_cache_path(folder)};
  std::array<Stamp, 2> stamps{};
  for (size_t i = 0; i < stamps.size(); ++i) {
    (void)stamp_of(paths[i].c_str(), stamps[i]);
  }
  if (stamps[1].mtime_ns > stamps[0].mtime_ns) {
    std::swap(paths[0], paths[1]);
  }
  return paths;
}

}  // namespace

Result<IndexFile> IndexFile::open(const std::string& path) {
  IndexFile index;
  index.path_ = path;
  index.file_ = open_to_read(path.c_str());
  Stamp stamp;
  if (!index.file_.is_open() || !stamp_of(index.file_.get(), stamp)) {
    return system_status("cannot read the index", path, errno);
  }
  if (Status status = index.load_table(stamp.size_bytes); !status.ok()) {
    return status;
  }
  return index;
}

Status IndexFile::load_table(uint64_t file_bytes) {
  IndexHead head;
  if (!read_exactly(file_.get(), 0, head.bytes(), path_).ok()) {
    return damaged(path_, "it is no index");
  }
  if (head.magic != kIndexMagic || head.own_hash() != head.head_hash) {
    return damaged(path_, "it is no index, one of another version, or damaged");
  }
  // In this order nothing can overflow.
  if (head.table_offset < sizeof(IndexHead) || head.table_offset > file_bytes ||
      head.count > kMaxEntries || head.count * kTableRowBytes != file_bytes - head.table_offset) {
    return damaged(path_, "it is not whole");
  }
  hashes_.resize(head.count);
  offsets_.resize(head.count);
  sizes_.resize(head.count);
  RunningHash hash;
  uint64_t at = head.table_offset;
  for (const std::span<uint8_t> part :
       {as_writable_bytes(hashes_), as_writable_bytes(offsets_), as_writable_bytes(sizes_)}) {
    if (Status status = read_exactly(file_.get(), at, part, path_); !status.ok()) {
      return damaged(path_, status.message());
    }
    hash.add(part);
    at += part.size();
  }
  const bool sound = hash.value() == head.table_hash && is_table_sound(head.table_offset);
  return sound ? Status() : damaged(path_, "its table is damaged");
}

bool IndexFile::is_table_sound(uint64_t table_offset) const {
  for (size_t i = 0; i < hashes_.size(); ++i) {
    const bool ascends = i == 0 || hashes_[i - 1] < hashes_[i];
    const bool inside = offsets_[i] >= sizeof(IndexHead) && offsets_[i] <= table_offset &&
                        sizes_[i] <= table_offset - offsets_[i];
    if (!ascends || !inside || sizes_[i] > kMaxEntryBytes) {
      return false;
    }
  }
  return true;
}

size_t IndexFile::find(uint64_t hash) const {
  const auto found = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  return found != hashes_.end() && *found == hash ? static_cast<size_t>(found - hashes_.begin())
                                                  : kNone;
}

bool IndexFile::contains(std::string_view name) const {
  return find(hash_of(name)) != kNone;
}

Status IndexFile::read_row(size_t row, std::vector<uint8_t>& entry) const {
  entry.resize(sizes_[row]);
  Status status = read_exactly(file_.get(), offsets_[row], entry, path_);
  if (!status.ok()) {
    entry.clear();
  }
  return status;
}

Status IndexFile::read(std::string_view name, std::vector<uint8_t>& entry) const {
  const size_t row = hashes_.empty() ? kNone : find(hash_of(name));
  if (row == kNone) {
    entry.clear();
    return {};
  }
  return read_row(row, entry);
}

std::string index_path_in(const std::string& folder) {
  return folder + (folder.ends_with('/') ? "" : "/") + ".stoker-index";
}

std::string index_cache_path(const std::string& folder) {
  const std::string cache = cache_folder();
  std::string absolute = fs::absolute(folder).string();
  while (absolute.size() > 1 && absolute.ends_with('/')) {
    absolute.pop_back();
  }
  return cache.empty() ? "" : fmt::format("{}/index/{:016x}.index", cache, hash_of(absolute));
}

IndexFile find_index(const std::string& folder, const std::string& option,
                     std::vector<std::string>& warnings) {
  if (option.empty()) {
    return {};
  }
  const bool named = option != "auto";
  for (const std::string& path : named ? std::vector<std::string>{option} : places(folder)) {
    Result<IndexFile> index = IndexFile::open(path);
    if (index.ok()) {
      return std::move(*index);
    }
    if (index.status().code() == ErrorCode::Corrupt) {
      warnings.push_back(index.status().message() + "; make it anew with stoker data index");
    } else if (named) {
      throw Error(index.status().code(), index.status().message(),
                  "make it with stoker data index, or leave the index to be found");
    }
  }
  return {};
}

}  // namespace stoker::io
