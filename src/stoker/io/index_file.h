// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/core/status.h"
#include "stoker/io/file.h"

namespace stoker::io {

// An index holds one entry a sample, by the sample's name: bytes that mean something to a decoder
// alone, which also checks them. It is one file: a head of 64 bytes, the entries, and a table of
// name hashes (XXH3-64, ascending), offsets and sizes; head and table have hashes of their own.
// Numbers are little-endian.

// An open index. Entries are read with pread(), never mapped, so that a file that is cut off while
// it is in use is a Status. 20 bytes of memory an entry. Reading is thread-safe.
class IndexFile {
 public:
  IndexFile() = default;  // holds nothing
  // NotFound: there is none; Corrupt: whatever is not a whole index.
  static Result<IndexFile> open(const std::string& path);

  size_t size() const { return hashes_.size(); }
  bool contains(std::string_view name) const;
  // Into `entry`, whose memory is reused; empty where there is none. The sample itself is none the
  // worse for a failure.
  Status read(std::string_view name, std::vector<uint8_t>& entry) const;
  // Row by row, by ascending hashes of the names. Requires: row < size().
  uint64_t hash_at(size_t row) const { return hashes_[row]; }
  Status read_row(size_t row, std::vector<uint8_t>& entry) const;

 private:
  static constexpr size_t kNone = SIZE_MAX;

  Status load_table(uint64_t file_bytes);
  bool is_table_sound(uint64_t table_offset) const;
  size_t find(uint64_t hash) const;

  FileHandle file_;
  std::string path_;
  std::vector<uint64_t> hashes_;
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> sizes_;
};

// Makes an index beside the one that is in use. Entries come in any order, from any thread, and go
// to a temporary file; finish() puts it in the place of the old one by one rename. Of two writers
// at once the last one wins, and nobody ever sees half a file.
class IndexWriter {
 public:
  // Entries of an index that is at `path` when it is finished are kept, unless they were added
  // anew or `keep_old` is false. Throws Error with a hint where no file can be written.
  explicit IndexWriter(std::string path, bool keep_old = true);
  ~IndexWriter();  // without finish(): nothing is left behind
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  // Of two entries of one name the last one stays. TooLarge beyond 64 MiB.
  Status add(std::string_view name, std::span<const uint8_t> entry);
  // Requires: no add() at the same time or later. The entries in the file, or why it was not
  // written.
  Result<size_t> finish();

 private:
  struct Row {
    uint64_t hash, offset;
    uint32_t size_bytes;
  };

  Status append(uint64_t hash, std::span<const uint8_t> entry);
  Status flush();
  void sort_rows();
  Status keep_old_entries();
  Status write_table();
  Status publish();

  std::string path_;
  std::string temporary_;
  bool keep_old_;
  std::mutex mutex_;
  FileHandle file_;
  Status failure_;
  std::vector<uint8_t> pending_;
  uint64_t written_ = 0;  // bytes of entries, those of pending_ too
  std::vector<Row> rows_;
};

// FOLDER/.stoker-index: one regular file, since a folder would be a class of ImageFolder.
std::string index_path_in(const std::string& folder);
// STOKER_CACHE/index/<hash of the absolute path>.index, for folders that cannot be written; empty
// where there is no cache folder.
std::string index_cache_path(const std::string& folder);
// The one of both that can be written. Throws Error with a hint where neither can.
std::string index_path_to_write(const std::string& folder);

// What SourceOptions::index names: "" none, "auto" the newer one of both above, else a path, which
// must be there (Error). A damaged index is left out with a warning.
IndexFile find_index(const std::string& folder, const std::string& option,
                     std::vector<std::string>& warnings);

}  // namespace stoker::io
