// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <tuple>

#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/io/index_file.h"
#include "stoker/io/index_format.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPendingBytes = 1 << 20;

FileHandle create(const std::string& path) {
  return FileHandle(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

// 0, or why no file can be made beside `path`. Permissions do not tell: the file system may be
// read-only, or of a kind that takes no files.
int try_to_write(const std::string& path) {
  const std::string temporary = temporary_name_for(path);
  const FileHandle file = create(temporary);
  const int error = file.is_open() ? 0 : errno;
  if (file.is_open()) {
    ::unlink(temporary.c_str());
  }
  return error;
}

}  // namespace

IndexWriter::IndexWriter(std::string path, bool keep_old)
    : path_(std::move(path)), temporary_(temporary_name_for(path_)), keep_old_(keep_old) {
  file_ = create(temporary_);
  if (!file_.is_open()) {
    const Status status = system_status("cannot write beside", path_, errno);
    throw Error(status.code(), status.message(), "name a place that can be written");
  }
  IndexHead place;
  place.magic = 0;  // no index yet
  const std::span<uint8_t> bytes = place.bytes();
  pending_.assign(bytes.begin(), bytes.end());
  written_ = pending_.size();
}

IndexWriter::~IndexWriter() {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

Status IndexWriter::flush() {
  if (failure_.ok() && !write_all(file_.get(), pending_)) {
    failure_ = system_status("cannot write", path_, errno);
  }
  pending_.clear();
  return failure_;
}

Status IndexWriter::append(uint64_t hash, std::span<const uint8_t> entry) {
  rows_.push_back({hash, written_, static_cast<uint32_t>(entry.size())});
  pending_.insert(pending_.end(), entry.begin(), entry.end());
  written_ += entry.size();
  return pending_.size() >= kPendingBytes ? flush() : failure_;
}

Status IndexWriter::add(std::string_view name, std::span<const uint8_t> entry) {
  if (entry.size() > kMaxEntryBytes) {
    return {ErrorCode::TooLarge, fmt::format("the index entry of '{}' is too large", name)};
  }
  const std::lock_guard lock(mutex_);
  return append(hash_of(name), entry);
}

// By hash; of equal ones the last stays. What came later lies further behind.
void IndexWriter::sort_rows() {
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::tie(a.hash, a.offset, a.size_bytes) < std::tie(b.hash, b.offset, b.size_bytes);
  });
  size_t kept = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i + 1 == rows_.size() || rows_[i].hash != rows_[i + 1].hash) {
      rows_[kept++] = rows_[i];
    }
  }
  rows_.resize(kept);
}

Status IndexWriter::keep_old_entries() {
  const Result<IndexFile> old = IndexFile::open(path_);
  if (!old.ok()) {
    return {};  // there is none, or none that is worth keeping
  }
  const size_t added = rows_.size();
  std::vector<uint8_t> entry;
  size_t row = 0;
  for (size_t i = 0; i < old->size(); ++i) {
    const uint64_t hash = old->hash_at(i);
    while (row < added && rows_[row].hash < hash) {
      ++row;
    }
    if ((row < added && rows_[row].hash == hash) || !old->read_row(i, entry).ok()) {
      continue;
    }
    if (Status status = append(hash, entry); !status.ok()) {
      return status;
    }
  }
  sort_rows();
  return {};
}

Status IndexWriter::write_table() {
  std::vector<uint64_t> hashes;
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> sizes;
  for (const Row& row : rows_) {
    hashes.push_back(row.hash);
    offsets.push_back(row.offset);
    sizes.push_back(row.size_bytes);
  }
  IndexHead head;
  head.count = rows_.size();
  head.table_offset = written_;
  RunningHash hash;
  for (const std::span<const uint8_t> part :
       {as_bytes(hashes), as_bytes(offsets), as_bytes(sizes)}) {
    hash.add(part);
    if (!write_all(file_.get(), part)) {
      return system_status("cannot write", path_, errno);
    }
  }
  head.table_hash = hash.value();
  head.head_hash = head.own_hash();
  if (::lseek(file_.get(), 0, SEEK_SET) != 0 || !write_all(file_.get(), head.bytes())) {
    return system_status("cannot write", path_, errno);
  }
  return {};
}

Status IndexWriter::publish() {
  const bool written = ::fsync(file_.get()) == 0 && ::close(file_.release()) == 0;
  if (!written || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return system_status("cannot write", path_, errno);
  }
  temporary_.clear();
  return {};
}

Result<size_t> IndexWriter::finish() {
  const std::lock_guard lock(mutex_);
  sort_rows();
  Status status = keep_old_ ? keep_old_entries() : Status();
  if (status.ok()) {
    status = flush();
  }
  if (status.ok()) {
    status = write_table();
  }
  if (status.ok()) {
    status = publish();
  }
  return status.ok() ? Result<size_t>(rows_.size()) : Result<size_t>(status);
}

std::string index_path_to_write(const std::string& folder) {
  std::string beside = index_path_in(folder);
  const int refused = try_to_write(beside);
  if (refused == 0) {
    return beside;
  }
  std::string cached = index_cache_path(folder);
  std::error_code ignored;  // then nothing can be written there either
  fs::create_directories(fs::path(cached).parent_path(), ignored);
  if (cached.empty() || try_to_write(cached) != 0) {
    const Status status = system_status("cannot write to", folder, refused);
    throw Error(status.code(), status.message(),
                "name a place for the index, or a cache folder with STOKER_CACHE");
  }
  return cached;
}

}  // namespace stoker::io
