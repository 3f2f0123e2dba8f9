// SPDX-License-Identifier: Apache-2.0
// A folder with one sub-folder a class: the samples, order and labels of torchvision's ImageFolder.
#include <filesystem>

#include "stoker/io/file.h"
#include "stoker/io/index_file.h"
#include "stoker/io/source.h"
#include "stoker/io/sources/folder/class_list.h"
#include "stoker/io/tar_source.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;

class FolderSource : public Source {
 public:
  FolderSource(const std::string& path, const SourceOptions& options)
      : shown_(path.ends_with('/') ? path : path + "/"), root_(absolute_root(path)) {
    list_ = load_classes(root_, path, warnings_);
    root_ += '/';
    fingerprint_ = list_.fingerprint();
    index_ = find_index(root_, options.index, warnings_);
  }

  int64_t count() const override { return static_cast<int64_t>(list_.names.size()); }
  int64_t label(int64_t sample) const override { return list_.folder_labels[folder_of(sample)]; }
  std::string name(int64_t sample) const override {
    return shown_ + std::string(list_.folders[folder_of(sample)]) +
           std::string(list_.names[static_cast<size_t>(sample)]);
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
    return index_.read(path.from(root_.size()), entry);
  }
  std::string index_name(int64_t sample) const override {
    PathBuffer path;
    add_path(path, sample);
    return std::string(path.from(root_.size()));
  }
  std::string index_folder() const override { return root_; }
  const std::vector<std::string>& classes() const override { return list_.classes; }
  uint64_t fingerprint() const override { return fingerprint_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

 private:
  // Samples are opened by it, so that a later chdir() does not matter.
  static std::string absolute_root(const std::string& path) {
    std::string root = fs::absolute(path).string();
    while (root.ends_with('/')) {
      root.pop_back();
    }
    return root;
  }
  uint32_t folder_of(int64_t sample) const { return list_.folder_of[static_cast<size_t>(sample)]; }
  void add_path(PathBuffer& path, int64_t sample) const {
    path.add(root_).add(list_.folders[folder_of(sample)]);
    path.add(list_.names[static_cast<size_t>(sample)]);
  }

  std::string shown_;  // with a slash at the end
  std::string root_;   // likewise, absolute
  ClassList list_;
  uint64_t fingerprint_ = 0;
  IndexFile index_;
  std::vector<std::string> warnings_;
};

bool accepts(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !is_tar_folder(path);
}

std::unique_ptr<Source> open(const std::string& path, const SourceOptions& options) {
  return std::make_unique<FolderSource>(path, options);
}

}  // namespace

SourceKind source_folder() {
  return {.id = "folder",
          .help = "a folder with one sub-folder a class, as torchvision's ImageFolder reads it",
          .accepts = accepts,
          .open = open};
}

}  // namespace stoker::io
