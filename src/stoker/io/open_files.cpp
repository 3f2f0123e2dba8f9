// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace stoker::io {
namespace {

constexpr size_t kMostOpen = 256;

size_t allowed_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return kMostOpen;
  }
  return std::clamp<size_t>(static_cast<size_t>(limit.rlim_cur / 4), 1, kMostOpen);
}

}  // namespace

OpenFiles::OpenFiles(std::vector<std::string> paths, std::vector<Stamp> stamps, size_t most)
    : paths_(std::move(paths)),
      stamps_(std::move(stamps)),
      most_(most > 0 ? most : allowed_files()),
      entries_(paths_.size()) {}

size_t OpenFiles::open_count() const {
  const std::lock_guard lock(mutex_);
  return opened_.size();
}

// Closes what was not used for longest until fewer than `most` are open.
void OpenFiles::make_room(size_t most) {
  while (opened_.size() >= most && !opened_.empty()) {
    const auto oldest = std::min_element(
        opened_.begin(), opened_.end(),
        [&](uint32_t a, uint32_t b) { return entries_[a].used < entries_[b].used; });
    entries_[*oldest].handle.reset();
    *oldest = opened_.back();
    opened_.pop_back();
  }
}

Result<std::shared_ptr<const FileHandle>> OpenFiles::open(size_t file) {
  FileHandle handle = open_to_read(paths_[file].c_str());
  if (!handle.is_open() && (errno == EMFILE || errno == ENFILE)) {
    {
      const std::lock_guard lock(mutex_);
      make_room(1);
    }
    handle = open_to_read(paths_[file].c_str());
  }
  Stamp stamp;
  if (!handle.is_open() || !stamp_of(handle.get(), stamp)) {
    return system_status("cannot read", paths_[file], errno);
  }
  if (stamp != stamps_[file]) {
    return Status(ErrorCode::IoError,
                  fmt::format("'{}' has changed since it was opened; start again", paths_[file]));
  }
  return std::shared_ptr<const FileHandle>(std::make_shared<FileHandle>(std::move(handle)));
}

Result<std::shared_ptr<const FileHandle>> OpenFiles::get(size_t file) {
  {
    const std::lock_guard lock(mutex_);
    if (entries_[file].handle != nullptr) {
      entries_[file].used = ++clock_;
      return entries_[file].handle;
    }
  }
  // Not under the lock: a slow file must not hold up the others.
  Result<std::shared_ptr<const FileHandle>> opened = open(file);
  if (!opened.ok()) {
    return opened;
  }
  const std::lock_guard lock(mutex_);
  if (entries_[file].handle == nullptr) {
    make_room(most_);
    entries_[file].handle = *opened;
    opened_.push_back(static_cast<uint32_t>(file));
  }
  entries_[file].used = ++clock_;
  return entries_[file].handle;
}

}  // namespace stoker::io
