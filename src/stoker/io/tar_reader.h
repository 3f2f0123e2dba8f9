// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stoker/core/status.h"

namespace stoker::io {

enum class TarType : uint8_t { File, Sparse, Link, Other };

struct TarMember {
  std::string name;  // as pax or GNU headers give it
  TarType type = TarType::Other;
  uint64_t offset = 0;  // of its data
  uint64_t size_bytes = 0;
};

// Goes through the headers of a tar file: ustar, GNU (long names, sizes in base 256) and pax
// (path, size, also as defaults of the rest). Data is not read. One thread; borrows `fd`.
class TarReader {
 public:
  TarReader(int fd, uint64_t file_bytes) : fd_(fd), file_bytes_(file_bytes) {}

  // The next member; false at the end, or where the file is damaged: see damage(). A member that
  // reaches beyond the end of the file is damage.
  bool next(TarMember& member);
  // Empty, or what is wrong at damage_offset().
  const std::string& damage() const { return damage_; }
  uint64_t damage_offset() const { return offset_; }
  // Nothing was cut off: an end mark was found.
  bool has_end_mark() const { return has_end_mark_; }
  // Data of a member. Requires: it was given by next(). False: the file cannot be read.
  bool read_text(const TarMember& member, std::string& text);

 private:
  // What pax headers say of one member, or of all that follow.
  struct Overrides {
    std::string path;
    uint64_t size_bytes = 0;
    bool has_size = false;
    bool sparse = false;
  };
  struct Header;

  bool fail(std::string_view what);
  bool read_header(Header& header);
  bool is_end(const Header& header);
  bool take_extension(char type, uint64_t size_bytes);
  bool parse_pax(std::string_view records, Overrides& into);
  bool finish_member(const Header& header, TarMember& member);
  bool skip_sparse_map(const Header& header);
  bool skip_data(uint64_t size_bytes);
  // `size` bytes at `offset`, in memory until the next call; fewer at the end of the file.
  std::span<const uint8_t> look(uint64_t offset, size_t size);
  bool read_into(uint64_t offset, uint64_t size, std::string& text);

  static constexpr size_t kWindowBytes = 4096;

  int fd_;
  uint64_t file_bytes_;
  uint64_t offset_ = 0;  // of the next header
  std::string damage_;
  bool has_end_mark_ = false;
  std::string long_name_;
  Overrides local_, global_;
  std::array<uint8_t, kWindowBytes> window_{};
  uint64_t window_offset_ = 0;
  size_t window_size_ = 0;
};

}  // namespace stoker::io
