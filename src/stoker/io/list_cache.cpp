// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/list_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "stoker/core/files.h"
#include "stoker/core/process_paths.h"
#include "stoker/io/hash.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMagic = 0x315453494C4B5453;  // "STKLIST1"
constexpr int64_t kSettledNs = 2'000'000'000;

std::span<const uint8_t> bytes_of(const void* data, size_t bytes) {
  return {static_cast<const uint8_t*>(data), bytes};
}

}  // namespace

std::string list_cache_path(const std::string& key) {
  const std::string folder = cache_folder();
  return folder.empty() ? "" : fmt::format("{}/lists/{:016x}.list", folder, hash_of(key));
}

int64_t realtime_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool is_settled(const Stamp& stamp, int64_t looked_at_ns) {
  return stamp.mtime_ns < looked_at_ns - kSettledNs;
}

struct ListWriter::State {
  std::string path;
  std::string temporary;
  FileHandle file;
  RunningHash hash;
  bool good = false;

  bool put(const void* data, size_t bytes) {
    hash.add(bytes_of(data, bytes));
    good = good && write_all(file.get(), bytes_of(data, bytes));
    return good;
  }
};

ListWriter::ListWriter(const std::string& path, uint32_t kind) : state_(new State) {
  state_->path = path;
  std::error_code ignored;  // then the file cannot be created either
  fs::create_directories(fs::path(path).parent_path(), ignored);
  state_->temporary = temporary_name_for(path);
  state_->file =
      FileHandle(::open(state_->temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  state_->good = state_->file.is_open();
  const std::array<uint64_t, 2> head = {kMagic, kind};
  (void)state_->put(head.data(), sizeof(head));
}

ListWriter::~ListWriter() {
  if (!state_->temporary.empty()) {
    ::unlink(state_->temporary.c_str());
  }
}

bool ListWriter::put_array(const void* data, size_t count, size_t item_bytes) {
  const uint64_t head = count;
  return state_->put(&head, sizeof(head)) && state_->put(data, count * item_bytes);
}

bool ListWriter::strings(const std::vector<std::string>& values) {
  std::vector<char> text;
  for (const std::string& value : values) {
    text.insert(text.end(), value.begin(), value.end());
    text.push_back('\0');
  }
  return array(text);
}

bool ListWriter::finish() {
  const uint64_t hash = state_->hash.value();
  if (!state_->put(&hash, sizeof(hash)) || ::close(state_->file.release()) != 0 ||
      ::rename(state_->temporary.c_str(), state_->path.c_str()) != 0) {
    return false;
  }
  state_->temporary.clear();
  return true;
}

struct ListReader::State {
  FileHandle file;
  uint64_t size = 0;
  uint64_t offset = 0;
  RunningHash hash;

  bool get(void* data, size_t bytes) {
    const std::span<uint8_t> out(static_cast<uint8_t*>(data), bytes);
    if (!file.is_open() || read_at(file.get(), offset, out) != static_cast<int64_t>(bytes)) {
      return false;
    }
    offset += bytes;
    hash.add(out);
    return true;
  }
};

ListReader::ListReader(const std::string& path, uint32_t kind) : state_(new State) {
  FileHandle file = open_to_read(path.c_str());
  struct stat found{};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return;
  }
  state_->size = static_cast<uint64_t>(found.st_size);
  state_->file = std::move(file);
  std::array<uint64_t, 2> head{};
  if (!state_->get(head.data(), sizeof(head)) || head != std::array<uint64_t, 2>{kMagic, kind}) {
    state_->file = FileHandle();
  }
}

ListReader::~ListReader() = default;

bool ListReader::next_array(size_t item_bytes, uint64_t& count) {
  return state_->get(&count, sizeof(count)) &&
         count <= (state_->size - std::min(state_->size, state_->offset)) / item_bytes;
}

bool ListReader::fill(void* data, size_t bytes) {
  return state_->get(data, bytes);
}

bool ListReader::strings(std::vector<std::string>& values) {
  std::vector<char> text;
  if (!array(text) || (!text.empty() && text.back() != '\0')) {
    return false;
  }
  values.clear();
  for (size_t at = 0; at < text.size(); at += values.back().size() + 1) {
    values.emplace_back(text.data() + at);
  }
  return true;
}

bool ListReader::finish() {
  const uint64_t expected = state_->hash.value();
  uint64_t found = 0;
  return state_->get(&found, sizeof(found)) && found == expected && state_->offset == state_->size;
}

}  // namespace stoker::io
