// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "stoker/io/file.h"

namespace stoker::io {

// STOKER_CACHE/lists/<hash of `key`>.list; empty where there is no cache folder. `key` names what
// is listed, such as an absolute path.
std::string list_cache_path(const std::string& key);

// Younger files and folders (against the clock, when they are looked at) may change once more
// without a new time stamp: some file systems count in steps of 2 s.
bool is_settled(const Stamp& stamp, int64_t looked_at_ns);
// CLOCK_REALTIME, the clock of time stamps.
int64_t realtime_ns();

// A cache file is a sequence of arrays behind a magic number, with a hash of it all at the end.
// Writer and reader have the same functions, so that one template describes both directions.
// One thread.
class ListWriter {
 public:
  // `kind` keeps lists of different sources apart.
  ListWriter(const std::string& path, uint32_t kind);
  ~ListWriter();
  ListWriter(const ListWriter&) = delete;
  ListWriter& operator=(const ListWriter&) = delete;

  template <class T>
  bool array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_array(values.data(), values.size(), sizeof(T));
  }
  bool strings(const std::vector<std::string>& values);
  // Gives the file its name; false: it was not written, and nothing is left behind.
  bool finish();

 private:
  struct State;
  bool put_array(const void* data, size_t count, size_t item_bytes);

  std::unique_ptr<State> state_;
};

// Fails (false) on whatever is not a whole, undamaged file; what was read until then is garbage.
class ListReader {
 public:
  ListReader(const std::string& path, uint32_t kind);
  ~ListReader();
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  template <class T>
  bool array(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    uint64_t count = 0;
    if (!next_array(sizeof(T), count)) {
      return false;
    }
    values.resize(static_cast<size_t>(count));
    return fill(values.data(), values.size() * sizeof(T));
  }
  bool strings(std::vector<std::string>& values);
  // Is the hash at the end right?
  bool finish();

 private:
  struct State;
  bool next_array(size_t item_bytes, uint64_t& count);
  bool fill(void* data, size_t bytes);

  std::unique_ptr<State> state_;
};

}  // namespace stoker::io
