// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/list_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "stoker/core/error.h"
#include "stoker/io/file.h"
#include "stoker/io/hash.h"
#include "stoker/io/index_file.h"
#include "stoker/io/name_table.h"

namespace stoker::io {
namespace {

constexpr int64_t kProbes = 64;
constexpr size_t kMaxPathBytes = 4095;  // the system's limit

void check(const std::vector<std::string>& paths, const std::vector<int64_t>& labels) {
  if (paths.size() != labels.size() || paths.empty()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} paths and {} labels", paths.size(), labels.size()),
                "give one label a path, and at least one path");
  }
  if (paths.size() > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorCode::TooLarge,
                fmt::format("{} paths are more than can be listed", paths.size()),
                "use tar shards");
  }
  for (const std::string& path : paths) {
    if (path.empty() || path.size() > kMaxPathBytes || path.find('\0') != std::string::npos) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("'{}' cannot be a path", path.substr(0, 100)),
                  "a path has 1 to 4,095 bytes, none of them 0");
    }
  }
}

class ListSource final : public Source {
 public:
  ListSource(const std::vector<std::string>& paths, std::vector<int64_t> labels,
             const SourceOptions& options)
      : working_folder_(std::filesystem::current_path().string() + "/"),
        labels_(std::move(labels)) {
    HashWriter hash;
    std::unordered_map<std::string_view, uint32_t> known;  // views of `paths`
    folder_of_.reserve(paths.size());
    reserve_names(paths);
    for (const std::string& path : paths) {
      const std::string_view folder = folder_part(path);
      const auto [found, is_new] =
          known.try_emplace(folder, static_cast<uint32_t>(folders_.size()));
      if (is_new) {
        folders_.add(folder);
      }
      folder_of_.push_back(found->second);
      names_.add(std::string_view(path).substr(folder.size()));
    }
    folders_.shrink();
    (void)(hash.strings(paths) && hash.array(labels_));
    fingerprint_ = hash.value();
    index_folder_ = common_folder();
    look_for_index(options.index);
  }

  int64_t count() const override { return static_cast<int64_t>(labels_.size()); }
  int64_t label(int64_t sample) const override { return labels_[static_cast<size_t>(sample)]; }
  std::string name(int64_t sample) const override {
    return std::string(folder(sample)) + std::string(names_[static_cast<size_t>(sample)]);
  }
  Status read(int64_t sample, std::vector<uint8_t>& bytes) const override {
    PathBuffer path;
    add_path(path, sample);
    return read_whole(path.c_str(), bytes);
  }
  Status read_index(int64_t sample, std::vector<uint8_t>& entry) const override {
    if (index_.size() == 0) {
      entry.clear();
      return {};
    }
    PathBuffer path;
    add_path(path, sample);
    return index_.read(path.from(index_folder_.size()), entry);
  }
  std::string index_name(int64_t sample) const override {
    PathBuffer path;
    add_path(path, sample);
    return std::string(path.from(index_folder_.size()));
  }
  std::string index_folder() const override { return index_folder_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  uint64_t fingerprint() const override { return fingerprint_; }

 private:
  static std::string_view folder_part(std::string_view path) {
    return path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
  }
  void reserve_names(const std::vector<std::string>& paths) {
    size_t characters = 0;
    for (const std::string& path : paths) {
      characters += path.size() - folder_part(path).size();
    }
    names_.reserve(paths.size(), characters);
  }
  // The deepest folder that holds all files, absolute, with a slash at its end.
  std::string common_folder() const {
    std::string common;
    for (size_t i = 0; i < folders_.size(); ++i) {
      const std::string_view given = folders_[i];
      const std::string folder =
          given.starts_with('/') ? std::string(given) : working_folder_ + std::string(given);
      common = i == 0 ? folder : common;
      while (!folder.starts_with(common)) {
        common.resize(common.rfind('/', common.size() - 2) + 1);
      }
    }
    return common;
  }
  // An index has names relative to its own folder, which may be any above the files: the deepest
  // is taken from which on the index knows a sample.
  void look_for_index(const std::string& option) {
    const std::string deepest = index_folder_;
    while (!option.empty() && !index_folder_.empty()) {
      index_ = find_index(index_folder_, option, warnings_);
      if (index_.size() == 0 && option != "auto") {
        break;
      }
      for (int64_t i = 0; index_.size() > 0 && i < std::min<int64_t>(count(), kProbes); ++i) {
        if (index_.contains(index_name(i * count() / kProbes % count()))) {
          return;
        }
      }
      index_folder_.pop_back();
      index_folder_.resize(index_folder_.rfind('/') + 1);
    }
    index_ = {};
    index_folder_ = deepest;
  }
  std::string_view folder(int64_t sample) const {
    return folders_[folder_of_[static_cast<size_t>(sample)]];
  }
  // Absolute, so that a later chdir() does not matter.
  void add_path(PathBuffer& path, int64_t sample) const {
    const std::string_view in = folder(sample);
    if (!in.starts_with('/')) {
      path.add(working_folder_);
    }
    path.add(in).add(names_[static_cast<size_t>(sample)]);
  }

  std::string working_folder_;
  NameTable folders_;
  std::vector<uint32_t> folder_of_;
  NameTable names_;
  std::vector<int64_t> labels_;
  std::vector<std::string> classes_;
  uint64_t fingerprint_ = 0;
  std::string index_folder_;  // with a slash at the end
  IndexFile index_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<Source> make_list_source(const std::vector<std::string>& paths,
                                         std::vector<int64_t> labels,
                                         const SourceOptions& options) {
  check(paths, labels);
  return std::make_unique<ListSource>(paths, std::move(labels), options);
}

}  // namespace stoker::io
