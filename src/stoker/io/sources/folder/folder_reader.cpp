// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/sources/folder/folder_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "stoker/core/error.h"
#include "stoker/io/list_cache.h"
#include "stoker/io/python_order.h"

namespace stoker::io {
namespace {

bool is_image(std::string_view name) {
  return std::any_of(
      kImageExtensions.begin(), kImageExtensions.end(), [&](std::string_view extension) {
        return name.size() >= extension.size() &&
               std::equal(extension.rbegin(), extension.rend(), name.rbegin(), [](char e, char c) {
                 return e == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
               });
      });
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

void FolderReader::read(Folder& folder, bool classes_only) {
  path_ = root_ + "/" + folder.path;
  FileHandle file = open_to_read(path_.c_str());
  const int fd = file.get();
  const std::unique_ptr<DIR, CloseFolder> entries(file.is_open() ? ::fdopendir(fd) : nullptr);
  if (entries == nullptr) {
    give_up(folder, errno);
    return;
  }
  (void)file.release();
  const int64_t looked_at_ns = realtime_ns();
  if (!stamp_of(fd, folder.stamp) || !read_entries(entries.get(), folder, classes_only)) {
    give_up(folder, errno);
    return;
  }
  Stamp after;
  if (!stamp_of(fd, after) || after != folder.stamp || !is_settled(after, looked_at_ns)) {
    unsettle();
  }
}

bool FolderReader::read_entries(DIR* entries, Folder& folder, bool classes_only) {
  std::vector<std::string> images;
  size_t characters = 0;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(entries);
    if (entry == nullptr && errno != 0) {
      return false;
    }
    if (entry == nullptr) {
      break;
    }
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") {
      continue;
    }
    if (is_folder(*entry, classes_only)) {
      folder.subfolders.emplace_back(name);
    } else if (!classes_only && is_image(name)) {
      images.emplace_back(name);
      characters += name.size();
    }
  }
  std::sort(images.begin(), images.end(), python_less);
  folder.images.reserve(images.size(), characters);
  for (const std::string& image : images) {
    folder.images.add(image);
  }
  return true;
}

// Follows links by the whole path, as Python does: a link in a circle ends where the system says
// that there are too many, and is a file there.
bool FolderReader::is_folder(const dirent& entry, bool is_class) {
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) {
    return entry.d_type == DT_DIR;
  }
  struct stat found{};
  const std::string path = path_ + entry.d_name;
  if (::stat(path.c_str(), &found) == 0) {
    return S_ISDIR(found.st_mode);
  }
  if (is_class && errno != ENOENT) {
    const Status status = system_status("cannot look at", path, errno);
    throw Error(status.code(), status.message(), "remove the link, or allow to read it");
  }
  unsettle();  // what it points to may appear without a change here
  return false;
}

void FolderReader::give_up(Folder& folder, int error) {
  folder.readable = false;
  folder.subfolders.clear();
  folder.images = {};
  const std::lock_guard lock(mutex_);
  record_.settled = false;
  record_.warnings.push_back(system_status("left out: cannot read", path_, error).message());
}
void FolderReader::unsettle() {
  const std::lock_guard lock(mutex_);
  record_.settled = false;
}

}  // namespace stoker::io
