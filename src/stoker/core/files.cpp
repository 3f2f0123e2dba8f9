// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace stoker {
namespace {

namespace fs = std::filesystem;

Status system_status(const std::string& what, const std::string& path, int error) {
  return {error == ENOENT ? ErrorCode::NotFound : ErrorCode::IoError,
          fmt::format("{} '{}': {}", what, path, std::generic_category().message(error))};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 ? 0 : ::close(fd);
  }

 private:
  int fd_;
};

Status write_whole(const std::string& path, std::span<const uint8_t> bytes, bool sync) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    return system_status("cannot create", path, errno);
  }
  const bool written =
      write_all(file.get(), bytes) && (!sync || ::fsync(file.get()) == 0) && file.close() == 0;
  return written ? Status() : system_status("cannot write", path, errno);
}

// rename() replaces; link() does not.
Status publish(const std::string& temporary, const std::string& path, bool replace) {
  if (replace) {
    return ::rename(temporary.c_str(), path.c_str()) == 0
               ? Status()
               : system_status("cannot write", path, errno);
  }
  const int failed = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (failed == EEXIST) {
    return {ErrorCode::InvalidArgument, fmt::format("'{}' exists already", path)};
  }
  return failed == 0 ? Status() : system_status("cannot write", path, failed);
}

Status sync_folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const Descriptor handle(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder; the data itself is safe by then.
  if (handle.get() >= 0 && ::fsync(handle.get()) != 0 && errno == EIO) {
    return system_status("cannot write", path, errno);
  }
  return {};
}

}  // namespace

bool write_all(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

Status read_file(const std::string& path, std::vector<uint8_t>& bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return system_status("cannot read", path, errno);
  }
  // Files of /proc and /sys say that they are empty, so the size is only a guess.
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  ::lseek(file.get(), 0, SEEK_SET);
  size_t filled = 0;
  bytes.resize(end > 0 ? static_cast<size_t>(end) + 1 : 4096);
  while (true) {
    const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return system_status("cannot read", path, errno);
    }
    if (count == 0) {
      bytes.resize(filled);
      return {};
    }
    filled += static_cast<size_t>(count);
    if (filled == bytes.size()) {
      bytes.resize(2 * filled);
    }
  }
}

Result<std::string> read_text_file(const std::string& path) {
  std::vector<uint8_t> bytes;
  Status status = read_file(path, bytes);
  if (!status.ok()) {
    return status;
  }
  return std::string(bytes.begin(), bytes.end());
}

std::string temporary_name_for(const std::string& path) {
  static std::atomic<uint64_t> next{0};
  const fs::path target(path);
  const std::string name =
      fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), next.fetch_add(1));
  return (target.parent_path() / name).string();
}

Status write_file_atomic(const std::string& path, std::span<const uint8_t> bytes,
                         const WriteOptions& options) {
  const std::string temporary = temporary_name_for(path);
  Status status = write_whole(temporary, bytes, options.sync);
  if (status.ok()) {
    status = publish(temporary, path, options.replace);
  }
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  return options.sync ? sync_folder_of(path) : Status();
}

Status write_file_atomic(const std::string& path, std::string_view text,
                         const WriteOptions& options) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): text as the bytes that it is
  const auto* data = reinterpret_cast<const uint8_t*>(text.data());
  return write_file_atomic(path, {data, text.size()}, options);
}

}  // namespace stoker
