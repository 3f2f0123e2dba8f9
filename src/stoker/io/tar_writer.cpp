// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/tar_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace stoker::io {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMaxShortName = 99;
constexpr size_t kMaxName = 65535;
constexpr size_t kMaxSize = (size_t{1} << 33) - 1;

using Header = std::array<uint8_t, kBlock>;

void put(Header& header, size_t at, const std::string& text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
}

Header header_of(const std::string& name, char type, size_t size) {
  Header header{};
  put(header, 0, name);
  put(header, 100, "0000644");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  put(header, 124, fmt::format("{:011o}", size));
  put(header, 136, "00000000000");
  put(header, 148, "        ");  // the checksum counts its own field as spaces
  header[156] = static_cast<uint8_t>(type);
  put(header, 257, "ustar");
  put(header, 263, "00");
  const unsigned sum = std::accumulate(header.begin(), header.end(), 0U);
  put(header, 148, fmt::format("{:06o}", sum));
  header[154] = 0;
  return header;
}

// "<length> path=<name>\n"; the length counts all of it.
std::string path_record(const std::string& name) {
  const std::string rest = " path=" + name + "\n";
  size_t size = rest.size() + 1;
  while (fmt::formatted_size("{}", size) + rest.size() > size) {
    ++size;
  }
  return fmt::format("{}{}", size, rest);
}

}  // namespace

void TarWriter::append(const std::string& name, char type, std::span<const uint8_t> bytes) {
  const Header header = header_of(name, type, bytes.size());
  archive_.insert(archive_.end(), header.begin(), header.end());
  archive_.insert(archive_.end(), bytes.begin(), bytes.end());
  archive_.resize((archive_.size() + kBlock - 1) / kBlock * kBlock);
}

Status TarWriter::add(const std::string& name, std::span<const uint8_t> bytes) {
  if (name.empty() || name.size() > kMaxName || bytes.size() > kMaxSize) {
    return {ErrorCode::TooLarge, fmt::format("'{}' does not fit into a tar entry", name)};
  }
  if (name.size() > kMaxShortName) {
    const std::string record = path_record(name);
    append("PaxHeaders/name", 'x', std::vector<uint8_t>(record.begin(), record.end()));
  }
  append(name.substr(0, kMaxShortName), '0', bytes);
  return {};
}

void TarWriter::take(std::vector<uint8_t>& part) {
  part.clear();
  archive_.swap(part);
}

std::vector<uint8_t> TarWriter::finish() {
  archive_.resize(archive_.size() + 2 * kBlock);
  return std::exchange(archive_, {});
}

}  // namespace stoker::io
