// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace stoker::io {
namespace {

Stamp stamp_from(const struct stat& found) {
  return {.inode = found.st_ino,
          .mtime_ns = int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
          .size_bytes = static_cast<uint64_t>(found.st_size)};
}

Status too_large(const char* path) {
  return {ErrorCode::TooLarge, fmt::format("'{}' is larger than 2 GiB", path)};
}

// Grows `bytes` until the file ends.
Status read_to_end(int fd, const char* path, uint64_t size_guess, std::vector<uint8_t>& bytes) {
  if (size_guess > kMaxSampleBytes) {
    return too_large(path);
  }
  bytes.resize(static_cast<size_t>(size_guess) + 1);  // one more, to see the end at once
  size_t filled = 0;
  while (true) {
    const int64_t count = read_at(fd, filled, std::span(bytes).subspan(filled));
    if (count < 0) {
      return system_status("cannot read", path, errno);
    }
    filled += static_cast<size_t>(count);
    if (filled < bytes.size()) {
      bytes.resize(filled);
      return {};
    }
    if (filled > kMaxSampleBytes) {
      return too_large(path);
    }
    bytes.resize(2 * filled);
  }
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Status system_status(std::string_view what, std::string_view path, int error) {
  return {error == ENOENT ? ErrorCode::NotFound : ErrorCode::IoError,
          fmt::format("{} '{}': {}", what, path, std::generic_category().message(error))};
}

FileHandle open_to_read(const char* path) {
  while (true) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 || errno != EINTR) {
      return FileHandle(fd);
    }
  }
}

bool stamp_of(int fd, Stamp& stamp) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) {
    return false;
  }
  stamp = stamp_from(found);
  return true;
}

bool stamp_of(const char* path, Stamp& stamp) {
  struct stat found{};
  if (::stat(path, &found) != 0) {
    return false;
  }
  stamp = stamp_from(found);
  return true;
}

int64_t read_at(int fd, uint64_t offset, std::span<uint8_t> out) {
  size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t count =
        ::pread(fd, out.data() + filled, out.size() - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return -1;
    }
    if (count == 0) {
      break;
    }
    filled += static_cast<size_t>(count);
  }
  return static_cast<int64_t>(filled);
}

Status read_exactly(int fd, uint64_t offset, std::span<uint8_t> out, std::string_view name) {
  const int64_t count = read_at(fd, offset, out);
  if (count < 0) {
    return system_status("cannot read", name, errno);
  }
  if (static_cast<size_t>(count) < out.size()) {
    return {ErrorCode::Truncated, fmt::format("'{}' ends too early: it became shorter", name)};
  }
  return {};
}

Status read_whole(const char* path, std::vector<uint8_t>& bytes) {
  const FileHandle file = open_to_read(path);
  struct stat found{};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) {
    bytes.clear();
    return system_status("cannot read", path, errno);
  }
  Status status;
  if (!S_ISREG(found.st_mode)) {
    status = {ErrorCode::Unsupported, fmt::format("'{}' is no regular file", path)};
  } else {
    try {
      status = read_to_end(file.get(), path, static_cast<uint64_t>(found.st_size), bytes);
    } catch (const std::bad_alloc&) {
      status = {ErrorCode::TooLarge, fmt::format("no memory left to read '{}'", path)};
    }
  }
  if (!status.ok()) {
    bytes.clear();
  }
  return status;
}

PathBuffer& PathBuffer::add(std::string_view part) {
  const size_t count = std::min(part.size(), kCapacity - 1 - size_);
  std::memcpy(text_ + size_, part.data(), count);
  size_ += count;
  text_[size_] = '\0';
  return *this;
}

}  // namespace stoker::io
