// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/io/file.h"
#include "stoker/io/name_table.h"
#include "stoker/io/sources/folder/class_list.h"

namespace stoker::io {

// torchvision's IMG_EXTENSIONS; capital letters count as small ones.
constexpr std::array<std::string_view, 9> kImageExtensions = {
    ".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"};

// One folder that was read.
struct Folder {
  std::string path;  // from the root on, with a slash at its end unless it is the root
  uint32_t label = 0;
  Stamp stamp;
  std::vector<std::string> subfolders;  // in the order of the file system
  NameTable images;                     // sorted
  bool readable = true;
};

// Reads the entries of folders. One a thread; `record`, which all share, is locked with `mutex`.
class FolderReader {
 public:
  FolderReader(const std::string& root, WalkRecord& record, std::mutex& mutex)
      : root_(root), record_(record), mutex_(mutex) {}

  // Requires: `folder.path`. As os.walk does: what cannot be read is left out as a whole, with a
  // warning. `classes_only`: images are not wanted, and a class that cannot be looked at is an
  // Error, as in os.scandir.
  void read(Folder& folder, bool classes_only);

 private:
  bool read_entries(DIR* entries, Folder& folder, bool classes_only);
  bool is_folder(const dirent& entry, bool is_class);
  void give_up(Folder& folder, int error);
  void unsettle();

  const std::string& root_;
  WalkRecord& record_;
  std::mutex& mutex_;
  std::string path_;  // of the folder that is read, with a slash at its end
};

}  // namespace stoker::io
