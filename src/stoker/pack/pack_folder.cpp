// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/pack_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/pack/shard_file.h"

namespace stoker::pack {
namespace {

namespace fs = std::filesystem;

void require(const Status& status) {
  if (!status.ok()) {
    throw Error(ErrorCode::IoError, status.message(),
                "is there room on the disk, and may you write there?");
  }
}

bool is_ours(const std::string& name) {
  return shard_of_name(name) >= 0 || name == "classes.json" || name.starts_with(".");
}

std::string size_text(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.1f} GB", bytes / 1e9)
                      : fmt::format("{:.1f} MB", bytes / 1e6);
}

}  // namespace

PackFolder::PackFolder(std::string path, PackPlan& plan, bool force) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) {
    path_.pop_back();
  }
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) {
    throw Error(ErrorCode::IoError,
                fmt::format("cannot make the folder '{}': {}", path_, error.message()),
                "name a folder that you may write to");
  }
  refuse_what_is_not_ours();
  // Parts that begin at the same time must find one plan.
  const FileLock lock(lock_path(), true);
  settle_plan(plan, force);
  plan_hash_ = plan.hash();
}

void PackFolder::refuse_what_is_not_ours() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (!is_ours(name) || entry.is_directory()) {
      throw Error(
          ErrorCode::InvalidArgument,
          fmt::format("the folder '{}' holds '{}', which is no part of a packed set", path_, name),
          "name a new folder");
    }
  }
}

void PackFolder::settle_plan(PackPlan& plan, bool force) const {
  const Result<PackPlan> there = read_plan(path_);
  if (there.ok()) {
    if (there->shard_bytes != 0 && there->shard_bytes == plan.shard_bytes &&
        there->fingerprint == plan.fingerprint) {
      plan.images_per_shard = there->images_per_shard;
    }
    if (*there == plan) {
      return;
    }
  }
  const bool empty = there.status().code() == ErrorCode::NotFound && !fs::exists(shard_path(0)) &&
                     !fs::exists(path_ + "/classes.json");
  if (!empty && !force) {
    throw Error(ErrorCode::InvalidArgument,
                there.ok() ? fmt::format("'{}' holds a packed set that differs: {}", path_,
                                         differences(*there, plan))
                           : fmt::format("'{}' holds shards, but no plan that can be read: {}",
                                         path_, there.status().message()),
                "name another folder, give the same options, or replace the set with --force");
  }
  remove_ours();
  require(write_file_atomic(plan_path_in(path_), plan.to_json().dump() + "\n"));
}

void PackFolder::remove_ours() const {
  std::vector<fs::path> ours = {index_path(), path_ + "/classes.json", plan_path_in(path_)};
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (shard_of_name(name) >= 0 || (name.starts_with(".") && name.ends_with(".tar.part"))) {
      ours.push_back(entry.path());
    }
  }
  for (const fs::path& file : ours) {
    std::error_code error;
    fs::remove(file, error);
    if (error) {
      throw Error(ErrorCode::IoError,
                  fmt::format("cannot remove '{}': {}", file.string(), error.message()),
                  "may you write to this folder?");
    }
  }
}

std::string PackFolder::shard_path(int64_t shard) const {
  return fmt::format("{}/{}", path_, shard_name(shard));
}

bool PackFolder::has_shard(int64_t shard, ShardEnd& end) const {
  Result<ShardEnd> found = read_shard_end(shard_path(shard));
  if (!found.ok() || found->plan != plan_hash_ || found->shard != shard) {
    return false;
  }
  end = std::move(*found);
  return true;
}

void PackFolder::require_room(double bytes) const {
  std::error_code error;
  const fs::space_info space = fs::space(path_, error);
  if (!error && static_cast<double>(space.available) < bytes) {
    throw Error(ErrorCode::IoError,
                fmt::format("the shards need about {}, and '{}' has {} left", size_text(bytes),
                            path_, size_text(static_cast<double>(space.available))),
                "make room, or name a folder on another disk");
  }
}

void PackFolder::write_classes(const std::vector<std::string>& classes) const {
  const std::string path = path_ + "/classes.json";
  if (!classes.empty() && !fs::exists(path)) {
    require(write_file_atomic(path, Json::strings(classes).dump() + "\n"));
  }
}

}  // namespace stoker::pack
