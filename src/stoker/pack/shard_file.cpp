// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/shard_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/core/files.h"

namespace stoker::pack {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(ErrorCode::IoError, io::system_status("cannot write", path, error).message(),
              "is there room on the disk, and may you write there?");
}

std::string temporary_of(const std::string& path) {
  const fs::path target(path);
  return (target.parent_path() / fmt::format(".{}.part", target.filename().string())).string();
}

// Who had the lock before may have given the file another name meanwhile.
bool is_still(int fd, const std::string& path) {
  struct stat locked{};
  struct stat named{};
  return ::fstat(fd, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
         locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& path, bool wait) {
  while (true) {
    io::FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file.is_open()) {
      fail(path, errno);
    }
    int failed = 0;
    do {
      failed = ::flock(file.get(), LOCK_EX | (wait ? 0 : LOCK_NB)) == 0 ? 0 : errno;
    } while (failed == EINTR);
    if (failed == EWOULDBLOCK) {
      return;
    }
    if (failed != 0) {
      fail(path, failed);
    }
    if (is_still(file.get(), path)) {
      file_ = std::move(file);
      return;
    }
  }
}

ShardFile::ShardFile(std::string path)
    : path_(std::move(path)), temporary_(temporary_of(path_)), lock_(temporary_, false) {
  if (!lock_.is_held()) {
    throw Error(ErrorCode::IoError, fmt::format("another process is making '{}'", path_),
                "wait for it, or give each process a part of its own with --shard");
  }
  if (::ftruncate(lock_.fd(), 0) != 0) {
    fail(path_, errno);
  }
}

ShardFile::~ShardFile() {
  if (!published_ && lock_.is_held()) {
    ::unlink(temporary_.c_str());
  }
}

Status ShardFile::write(std::span<const uint8_t> bytes) {
  if (!write_all(lock_.fd(), bytes)) {
    return io::system_status("cannot write", path_, errno);
  }
  written_bytes_ += bytes.size();
  return {};
}

Status ShardFile::publish() {
  if (::fsync(lock_.fd()) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return io::system_status("cannot write", path_, errno);
  }
  published_ = true;
  const io::FileHandle folder(
      ::open(fs::path(path_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder; the data itself is safe by then.
  if (folder.is_open() && ::fsync(folder.get()) != 0 && errno == EIO) {
    return io::system_status("cannot write", path_, errno);
  }
  return {};
}

}  // namespace stoker::pack
