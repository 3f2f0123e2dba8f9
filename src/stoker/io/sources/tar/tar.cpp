// SPDX-License-Identifier: Apache-2.0
// Tar files in the layout of WebDataset: one, or a folder of them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "stoker/core/error.h"
#include "stoker/io/index_file.h"
#include "stoker/io/open_files.h"
#include "stoker/io/python_order.h"
#include "stoker/io/sources/tar/class_names.h"
#include "stoker/io/sources/tar/tar_list.h"
#include "stoker/io/tar_source.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> absolute(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  out.reserve(paths.size());
  for (const std::string& path : paths) {
    out.push_back(fs::absolute(path).string());
  }
  return out;
}

// The deepest folder that holds all files, with a slash at its end.
std::string common_folder(const std::vector<std::string>& paths) {
  std::string common = paths[0].substr(0, paths[0].rfind('/') + 1);
  for (const std::string& path : paths) {
    while (!path.starts_with(common)) {
      common.resize(common.rfind('/', common.size() - 2) + 1);
    }
  }
  return common;
}

class TarSource : public Source {
 public:
  TarSource(const std::vector<std::string>& paths, const SourceOptions& options)
      : list_(load_tars(absolute(paths), paths)), files_(absolute(paths), list_.stamps) {
    index_folder_ = common_folder(absolute(paths));
    for (const std::string& path : absolute(paths)) {
      shown_.push_back(fs::path(path).filename().string());
      index_names_.push_back(path.substr(index_folder_.size()) + ":");
    }
    fingerprint_ = list_.fingerprint();
    if (list_.classes.empty()) {
      list_.classes = read_class_names(index_folder_, list_.labels);
    }
    index_ = find_index(index_folder_, options.index, list_.warnings);
  }

  int64_t count() const override { return static_cast<int64_t>(list_.names.size()); }
  int64_t label(int64_t sample) const override { return list_.labels[static_cast<size_t>(sample)]; }
  std::string name(int64_t sample) const override {
    return fmt::format("{}: {}", shown_[list_.shard_of(sample)],
                       list_.names[static_cast<size_t>(sample)]);
  }
  Status read(int64_t sample, std::vector<uint8_t>& bytes) const override {
    Status status = read_member(sample, bytes);
    if (!status.ok()) {
      bytes.clear();
    }
    return status;
  }
  Status read_index(int64_t sample, std::vector<uint8_t>& entry) const override {
    if (index_.size() == 0) {
      entry.clear();
      return {};
    }
    PathBuffer name;
    add_index_name(name, sample);
    return index_.read(name.from(0), entry);
  }
  std::string index_name(int64_t sample) const override {
    PathBuffer name;
    add_index_name(name, sample);
    return std::string(name.from(0));
  }
  std::string index_folder() const override { return index_folder_; }
  const std::vector<std::string>& classes() const override { return list_.classes; }
  uint64_t fingerprint() const override { return fingerprint_; }
  const std::vector<std::string>& warnings() const override { return list_.warnings; }

 private:
  void add_index_name(PathBuffer& name, int64_t sample) const {
    name.add(index_names_[list_.shard_of(sample)]).add(list_.names[static_cast<size_t>(sample)]);
  }
  Status read_member(int64_t sample, std::vector<uint8_t>& bytes) const {
    const auto i = static_cast<size_t>(sample);
    if (list_.sizes[i] > kMaxSampleBytes) {
      return {ErrorCode::TooLarge, fmt::format("'{}' is larger than 2 GiB", name(sample))};
    }
    const size_t shard = list_.shard_of(sample);
    const auto file = files_.get(shard);
    if (!file.ok()) {
      return file.status();
    }
    try {
      bytes.resize(list_.sizes[i]);
    } catch (const std::bad_alloc&) {
      return {ErrorCode::TooLarge, fmt::format("no memory left to read '{}'", name(sample))};
    }
    return read_exactly((*file)->get(), list_.offsets[i], bytes, files_.path(shard));
  }

  TarList list_;
  mutable OpenFiles files_;  // locks itself
  std::vector<std::string> shown_;
  std::string index_folder_;              // with a slash at the end
  std::vector<std::string> index_names_;  // of the shards, from there on, with a colon
  IndexFile index_;
  uint64_t fingerprint_ = 0;
};

bool is_tar_name(const std::string& name) {
  std::string end = name.size() < 4 ? "" : name.substr(name.size() - 4);
  std::transform(end.begin(), end.end(), end.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return end == ".tar";
}

bool accepts(const std::string& path) {
  std::error_code ignored;
  return (is_tar_name(path) && fs::is_regular_file(path, ignored)) || is_tar_folder(path);
}

std::unique_ptr<Source> open(const std::string& path, const SourceOptions& options) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return make_tar_source({path}, options);
  }
  std::vector<std::string> tars;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (is_tar_name(entry.path().filename().string())) {
      tars.push_back(entry.path().string());
    }
  }
  std::sort(tars.begin(), tars.end(), python_less);
  return make_tar_source(tars, options);
}

}  // namespace

bool is_tar_folder(const std::string& path) {
  std::error_code error;
  bool has_tar = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      return false;
    }
    has_tar = has_tar || is_tar_name(entry.path().filename().string());
  }
  return has_tar;
}

std::unique_ptr<Source> make_tar_source(const std::vector<std::string>& paths,
                                        const SourceOptions& options) {
  if (paths.empty()) {
    throw Error(ErrorCode::InvalidArgument, "there is no tar file", "name at least one");
  }
  return std::make_unique<TarSource>(paths, options);
}

SourceKind source_tar() {
  return {.id = "tar",
          .help = "a tar file, or a folder of them, in WebDataset's layout: 0001.jpg and 0001.cls",
          .accepts = accepts,
          .open = open};
}

}  // namespace stoker::io
