// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "stoker/core/error.h"
#include "stoker/io/python_order.h"
#include "stoker/io/sources/folder/class_list.h"
#include "stoker/io/sources/folder/folder_reader.h"

namespace stoker::io {
namespace {

// Folders that are still to be read, and those that are.
class Walk {
 public:
  Walk(const std::string& root, WalkRecord& record) : root_(root), record_(record) {}

  void add(std::string path, uint32_t label) {
    auto folder = std::make_unique<Folder>();
    folder->path = std::move(path);
    folder->label = label;
    todo_.push_back(std::move(folder));
  }

  std::vector<std::unique_ptr<Folder>> run(int threads) {
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) {
        try {
          others.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
          break;  // no more threads can be had: those that are there do the work
        }
      }
      work();
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return std::move(done_);
  }

 private:
  void work() {
    FolderReader reader(root_, record_, record_mutex_);
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return !todo_.empty() || busy_ == 0 || failure_; });
      if (todo_.empty() || failure_) {
        return;
      }
      std::unique_ptr<Folder> folder = std::move(todo_.back());
      todo_.pop_back();
      ++busy_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        reader.read(*folder, false);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      --busy_;
      failure_ = failure_ ? failure_ : failure;
      for (const std::string& name : folder->subfolders) {
        add(folder->path + name + "/", folder->label);
      }
      folder->subfolders = {};
      if (folder->readable) {
        done_.push_back(std::move(folder));
      }
      changed_.notify_all();
    }
  }

  const std::string& root_;
  WalkRecord& record_;
  std::mutex record_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Folder>> todo_, done_;
  int busy_ = 0;
  std::exception_ptr failure_;
};

void refuse_empty_classes(const ClassList& list) {
  std::vector<bool> seen(list.classes.size());
  for (const uint32_t label : list.folder_labels) {
    seen[label] = true;
  }
  std::vector<std::string_view> empty;
  for (size_t label = 0; label < seen.size(); ++label) {
    if (!seen[label]) {
      empty.push_back(list.classes[label]);
    }
  }
  if (!empty.empty()) {
    throw Error(ErrorCode::NotFound,
                fmt::format("Found no valid file for the classes {}. Supported extensions are: {}",
                            fmt::join(empty, ", "), fmt::join(kImageExtensions, ", ")),
                "remove these folders, or put images into them");
  }
}

// In ImageFolder's order; frees the folders as it goes.
void merge(std::vector<std::unique_ptr<Folder>> folders, ClassList& list, WalkRecord& record) {
  // os.walk's paths have no slash at their end, which would put "a-b" before "a".
  std::sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) {
    const std::string_view path_a = std::string_view(a->path).substr(0, a->path.size() - 1);
    const std::string_view path_b = std::string_view(b->path).substr(0, b->path.size() - 1);
    return a->label != b->label ? a->label < b->label : python_less(path_a, path_b);
  });
  size_t samples = 0;
  size_t characters = 0;
  for (const auto& folder : folders) {
    samples += folder->images.size();
    characters += folder->images.characters();
  }
  if (samples > std::numeric_limits<uint32_t>::max()) {
    throw Error(ErrorCode::TooLarge, fmt::format("{} files are more than can be listed", samples),
                "look for links in a circle, or use tar shards");
  }
  list.names.reserve(samples, characters);
  list.folder_of.reserve(samples);
  for (auto& folder : folders) {
    record.folders.add(folder->path);
    record.stamps.push_back(folder->stamp);
    if (folder->images.size() > 0) {
      const auto number = static_cast<uint32_t>(list.folders.size());
      list.folders.add(folder->path);
      list.folder_labels.push_back(folder->label);
      list.folder_of.insert(list.folder_of.end(), folder->images.size(), number);
      for (size_t i = 0; i < folder->images.size(); ++i) {
        list.names.add(folder->images[i]);
      }
    }
    folder.reset();
  }
  list.folders.shrink();
}

}  // namespace

std::vector<std::string> find_classes(const std::string& root, const std::string& shown,
                                      WalkRecord& record) {
  std::mutex mutex;
  Folder top;
  WalkRecord seen;
  FolderReader(root, seen, mutex).read(top, true);
  if (!top.readable) {
    Stamp ignored;
    const bool exists = stamp_of(root.c_str(), ignored);
    throw Error(exists ? ErrorCode::IoError : ErrorCode::NotFound,
                fmt::format("'{}' is no folder that can be read", shown),
                "a data set is a folder with one sub-folder a class");
  }
  if (top.subfolders.empty()) {
    throw Error(ErrorCode::NotFound, fmt::format("Couldn't find any class folder in {}.", shown),
                "put the images of each class into a sub-folder of its name");
  }
  std::sort(top.subfolders.begin(), top.subfolders.end(), python_less);
  record.folders.add("");
  record.stamps.push_back(top.stamp);
  record.settled = seen.settled;
  return std::move(top.subfolders);
}

ClassList walk_classes(const std::string& root, const std::string& shown, int threads,
                       WalkRecord& record) {
  ClassList list;
  list.classes = find_classes(root, shown, record);
  Walk walk(root, record);
  for (size_t label = list.classes.size(); label-- > 0;) {
    walk.add(list.classes[label] + "/", static_cast<uint32_t>(label));
  }
  const bool few = list.classes.size() < 2;
  merge(walk.run(few ? std::min(threads, 2) : threads), list, record);
  refuse_empty_classes(list);
  return list;
}

}  // namespace stoker::io
