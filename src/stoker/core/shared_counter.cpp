// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/shared_counter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stoker {
namespace {

constexpr size_t kSizeBytes = sizeof(std::atomic<uint64_t>);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

Status system_failure(const std::string& what, int error) {
  return {ErrorCode::IoError, what + ": " + std::strerror(error)};
}

}  // namespace

Result<std::unique_ptr<SharedCounter>> SharedCounter::open(const std::string& path) {
  int fd = -1;
  int flags = MAP_SHARED;
  if (path.empty()) {
    flags |= MAP_ANONYMOUS;
  } else {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
      return system_failure("cannot open " + path, errno);
    }
    // Fresh bytes are zero; a file that is there keeps its value.
    if (const int error = ::posix_fallocate(fd, 0, kSizeBytes); error != 0) {
      ::close(fd);
      return system_failure("cannot reserve " + path, error);
    }
  }
  void* memory = ::mmap(nullptr, kSizeBytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  const int error = errno;
  if (fd >= 0) {
    ::close(fd);
  }
  if (memory == MAP_FAILED) {
    return system_failure("cannot map the counter " + path, error);
  }
  return std::unique_ptr<SharedCounter>(
      new SharedCounter(static_cast<std::atomic<uint64_t>*>(memory)));
}

SharedCounter::~SharedCounter() {
  ::munmap(value_, kSizeBytes);
}

}  // namespace stoker
