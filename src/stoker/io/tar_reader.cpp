// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "stoker/io/file.h"

namespace stoker::io {
namespace {

constexpr size_t kBlock = 512;
constexpr uint64_t kMaxExtensionBytes = 1 << 20;  // names and pax records
constexpr uint64_t kMaxPaddingBytes = 1 << 20;    // looked through behind the end mark

std::string_view text_field(std::string_view header, size_t begin, size_t size) {
  const std::string_view field = header.substr(begin, size);
  return field.substr(0, field.find('\0'));
}

// Octal digits between blanks, or GNU's base 256 behind a byte 0x80.
std::optional<uint64_t> number_field(std::string_view header, size_t begin, size_t size) {
  const std::string_view field = header.substr(begin, size);
  const auto first = static_cast<uint8_t>(field[0]);
  if (first >= 0x80) {
    if (first != 0x80) {
      return std::nullopt;  // negative
    }
    uint64_t value = 0;
    for (const char c : field.substr(1)) {
      if (value >> 55 != 0) {
        return std::nullopt;
      }
      value = value << 8 | static_cast<uint8_t>(c);
    }
    return value;
  }
  std::string_view digits = text_field(header, begin, size);
  const size_t start = std::min(digits.find_first_not_of(' '), digits.size());
  digits = digits.substr(start, digits.find_last_not_of(' ') + 1 - start);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (digits.empty()) {
    return 0;
  }
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value)
                                                                      : std::nullopt;
}

// The sum of all bytes with blanks for the sum itself; old writers took them as signed.
bool is_checksum_right(std::string_view header) {
  constexpr size_t kBegin = 148;
  constexpr size_t kSize = 8;
  int64_t as_unsigned = kSize * ' ';
  int64_t as_signed = kSize * ' ';
  for (size_t i = 0; i < kBlock; ++i) {
    if (i < kBegin || i >= kBegin + kSize) {
      as_unsigned += static_cast<uint8_t>(header[i]);
      as_signed += static_cast<int8_t>(header[i]);
    }
  }
  const std::optional<uint64_t> found = number_field(header, kBegin, kSize);
  return found &&
         (static_cast<int64_t>(*found) == as_unsigned || static_cast<int64_t>(*found) == as_signed);
}

TarType type_of(char flag) {
  switch (flag) {
    case '\0':
    case '0':
    case '7':
      return TarType::File;
    case 'S':
      return TarType::Sparse;
    case '1':
    case '2':
      return TarType::Link;
    default:
      return TarType::Other;
  }
}

uint64_t padded(uint64_t size) {
  return (size + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

struct TarReader::Header {
  std::string bytes;
  uint64_t size_bytes = 0;

  char type() const { return bytes[156]; }
  bool is_zero() const { return bytes.find_first_not_of('\0') == std::string::npos; }
  std::string name() const {
    const std::string_view name = text_field(bytes, 0, 100);
    const std::string_view prefix =
        std::string_view(bytes).substr(257, 6) == std::string_view("ustar\0", 6)
            ? text_field(bytes, 345, 155)
            : std::string_view();
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
  }
};

bool TarReader::fail(std::string_view what) {
  damage_ = what;
  return false;
}

std::span<const uint8_t> TarReader::look(uint64_t offset, size_t size) {
  if (offset < window_offset_ || offset + size > window_offset_ + window_size_) {
    const int64_t count = read_at(fd_, offset, window_);
    window_offset_ = offset;
    window_size_ = count < 0 ? 0 : static_cast<size_t>(count);
  }
  const size_t skip = static_cast<size_t>(offset - window_offset_);
  return std::span<const uint8_t>(window_.data() + skip, std::min(size, window_size_ - skip));
}

bool TarReader::read_into(uint64_t offset, uint64_t size, std::string& text) {
  text.resize(static_cast<size_t>(size));
  if (size <= kWindowBytes) {
    const auto bytes = look(offset, text.size());
    std::copy(bytes.begin(), bytes.end(), text.begin());
    return bytes.size() == text.size();
  }
  const std::span<uint8_t> out(reinterpret_cast<uint8_t*>(text.data()), text.size());
  return read_at(fd_, offset, out) == static_cast<int64_t>(size);
}

bool TarReader::read_text(const TarMember& member, std::string& text) {
  return member.size_bytes <= kMaxExtensionBytes &&
         read_into(member.offset, member.size_bytes, text);
}

bool TarReader::read_header(Header& header) {
  const auto block = look(offset_, kBlock);
  if (block.size() < kBlock) {
    return fail(block.empty() ? "it ends without an end mark" : "it ends inside a header");
  }
  header.bytes.assign(block.begin(), block.end());
  return true;
}

// The end mark is two blocks of zeros; one is enough, as for most readers.
bool TarReader::is_end(const Header& header) {
  if (!header.is_zero()) {
    return false;
  }
  has_end_mark_ = true;
  const uint64_t limit = std::min(file_bytes_, offset_ + kMaxPaddingBytes);
  for (uint64_t at = offset_; at < limit; at += kBlock) {
    const auto block = look(at, kBlock);
    if (std::any_of(block.begin(), block.end(), [](uint8_t byte) { return byte != 0; })) {
      fail("there is more behind its end mark, as when archives are put together with cat");
      break;
    }
  }
  return true;
}

bool TarReader::skip_data(uint64_t size_bytes) {
  if (size_bytes > file_bytes_ || file_bytes_ - size_bytes < offset_ + kBlock) {
    return fail("it ends inside a member");
  }
  offset_ += kBlock + padded(size_bytes);
  return true;
}

bool TarReader::next(TarMember& member) {
  long_name_.clear();
  local_ = {};
  Header header;
  while (damage_.empty() && read_header(header) && !is_end(header)) {
    if (!is_checksum_right(header.bytes)) {
      return fail("the checksum of a header is wrong");
    }
    const std::optional<uint64_t> size = number_field(header.bytes, 124, 12);
    if (!size) {
      return fail("the size of a member is no number");
    }
    header.size_bytes = *size;
    const char type = header.type();
    if (type != 'L' && type != 'K' && type != 'x' && type != 'X' && type != 'g') {
      return finish_member(header, member);
    }
    if (!take_extension(type, *size) || !skip_data(*size)) {
      return false;
    }
  }
  return false;
}

bool TarReader::take_extension(char type, uint64_t size_bytes) {
  if (size_bytes > kMaxExtensionBytes) {
    return fail("a long name or pax header is larger than 1 MiB");
  }
  std::string text;
  if (!read_into(offset_ + kBlock, size_bytes, text)) {
    return fail("it ends inside a long name or pax header");
  }
  if (type == 'L') {
    long_name_ = text.substr(0, text.find('\0'));
    return true;
  }
  return type == 'K' || parse_pax(text, type == 'g' ? global_ : local_);
}

// Records of "<length> <key>=<value>\n"; the length counts all of it.
bool TarReader::parse_pax(std::string_view records, Overrides& into) {
  while (!records.empty() && records[0] != '\0') {
    size_t length = 0;
    const char* const begin = &records.front();
    const auto [behind, error] = std::from_chars(begin, begin + records.size(), length);
    const auto digits = static_cast<size_t>(behind - begin);
    if (error != std::errc() || length > records.size() || length < digits + 3 ||
        records[digits] != ' ' || records[length - 1] != '\n') {
      return fail("a pax header is malformed");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) {
      return fail("a pax header is malformed");
    }
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") {
      into.path = value.substr(0, value.find('\0'));
    } else if (key == "size") {
      const auto parsed =
          std::from_chars(value.data(), value.data() + value.size(), into.size_bytes);
      into.has_size = !value.empty();
      if (into.has_size &&
          (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size())) {
        return fail("the size in a pax header is no number");
      }
    } else if (key.starts_with("GNU.sparse.")) {
      into.sparse = true;
    }
    records.remove_prefix(length);
  }
  return true;
}

// GNU's old sparse files have more of their map in blocks behind the header.
bool TarReader::skip_sparse_map(const Header& header) {
  bool more = header.bytes[482] != 0;
  while (more) {
    const auto block = look(offset_ + kBlock, kBlock);
    if (block.size() < kBlock) {
      return fail("it ends inside a header");
    }
    more = block[504] != 0;
    offset_ += kBlock;
  }
  return true;
}

bool TarReader::finish_member(const Header& header, TarMember& member) {
  member.name = header.name();
  if (!local_.path.empty()) {
    member.name = local_.path;
  } else if (!long_name_.empty()) {
    member.name = long_name_;
  } else if (!global_.path.empty()) {
    member.name = global_.path;
  }
  const char type = header.type();
  const bool old_folder = type == '\0' && header.name().ends_with('/');
  member.type = old_folder ? TarType::Other : type_of(type);
  if (member.type == TarType::Sparse && !skip_sparse_map(header)) {
    return false;
  }
  if (member.type == TarType::File && (local_.sparse || global_.sparse)) {
    member.type = TarType::Sparse;
  }
  member.size_bytes = header.size_bytes;
  if (local_.has_size || global_.has_size) {
    member.size_bytes = local_.has_size ? local_.size_bytes : global_.size_bytes;
  }
  // Links and folders may state the size of what they stand for, but have no data.
  const bool no_data = old_folder || (type >= '1' && type <= '6');
  member.offset = offset_ + kBlock;
  return skip_data(no_data ? 0 : member.size_bytes);
}

}  // namespace stoker::io
