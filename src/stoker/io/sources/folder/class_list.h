// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/io/file.h"
#include "stoker/io/name_table.h"

namespace stoker::io {

// The samples of a folder of classes, in the order of torchvision's ImageFolder. 4 + 4 bytes a
// sample and its file name.
struct ClassList {
  std::vector<std::string> classes;
  NameTable folders;                    // that hold samples, from the root on: "cat/more/"
  std::vector<uint32_t> folder_labels;  // by folder
  NameTable names;                      // by sample
  std::vector<uint32_t> folder_of;      // by sample

  // `list` is const for what only reads it.
  template <class List, class Exchange>
  static bool exchange(List& list, Exchange& with) {
    return with.strings(list.classes) && NameTable::exchange(list.folders, with) &&
           with.array(list.folder_labels) && NameTable::exchange(list.names, with) &&
           with.array(list.folder_of);
  }
  // Do all numbers point inside? Asked of a list that comes from a file.
  bool is_sound() const;
  uint64_t fingerprint() const;
};

// What a walk saw, to find out later whether it would see the same.
struct WalkRecord {
  NameTable folders;  // all that were walked, from the root on; the root is ""
  std::vector<Stamp> stamps;
  // False: something looked as if it could change without a trace.
  bool settled = true;
  std::vector<std::string> warnings;

  template <class Record, class Exchange>
  static bool exchange(Record& record, Exchange& with) {
    return NameTable::exchange(record.folders, with) && with.array(record.stamps) &&
           record.folders.size() == record.stamps.size();
  }
};

// The classes of a folder, sorted; adds it to `record`. Throws Error: no folder, or no class.
std::vector<std::string> find_classes(const std::string& root, const std::string& shown,
                                      WalkRecord& record);

// Reads all folders below `root` (absolute, without a last slash), with `threads` threads; files
// are not looked at. `shown` is the root in messages. Throws Error where ImageFolder would raise:
// NotFound for no folder, no class or a class without an image.
ClassList walk_classes(const std::string& root, const std::string& shown, int threads,
                       WalkRecord& record);

// Writes what load_classes() may take next time. Not being able to is no fault: the list is found
// again by a walk.
void keep_classes(const std::string& root, const ClassList& list, const WalkRecord& record);

// The list from the cache where no folder has changed since; else from a walk, which is then kept.
ClassList load_classes(const std::string& root, const std::string& shown,
                       std::vector<std::string>& warnings);

}  // namespace stoker::io
