// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::io {

// Larger files are refused (TooLarge) rather than allowed to take all memory.
constexpr uint64_t kMaxSampleBytes = uint64_t{1} << 31;

// What tells whether a file or folder is still the one that was looked at.
struct Stamp {
  uint64_t inode = 0;
  int64_t mtime_ns = 0;
  uint64_t size_bytes = 0;

  bool operator==(const Stamp&) const = default;
};

// Owner of a file descriptor; -1: none.
class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// "cannot read 'path': No such file or directory", NotFound or IoError, for an errno.
Status system_status(std::string_view what, std::string_view path, int error);

// Opens to read; never waits for a pipe's other end. Not open after a failure, errno says why.
FileHandle open_to_read(const char* path);
// False with errno set where the system refuses.
bool stamp_of(int fd, Stamp& stamp);
bool stamp_of(const char* path, Stamp& stamp);

// Bytes at `offset`, as many as the file has there: fewer than `out` only at its end. Interrupted
// and short reads go on. -1 with errno set after a failure.
int64_t read_at(int fd, uint64_t offset, std::span<uint8_t> out);
// All of them or Truncated; `name` is for the message.
Status read_exactly(int fd, uint64_t offset, std::span<uint8_t> out, std::string_view name);
// What a file holds when its end is reached, whatever its size was at first, into `bytes`, whose
// memory is reused. Unsupported: no regular file.
Status read_whole(const char* path, std::vector<uint8_t>& bytes);

// A path put together without allocation; too long a one is cut, so that the system refuses it.
class PathBuffer {
 public:
  static constexpr size_t kCapacity = 8192;  // the system takes 4,096

  PathBuffer() { text_[0] = '\0'; }
  PathBuffer& add(std::string_view part);
  const char* c_str() const { return text_; }
  // What follows the first `skip` characters.
  std::string_view from(size_t skip) const {
    return skip <= size_ ? std::string_view(text_ + skip, size_ - skip) : std::string_view();
  }

 private:
  size_t size_ = 0;
  char text_[kCapacity];  // left as it is: 8 kB a sample would cost time
};

}  // namespace stoker::io
