// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace stoker::io::testing {

// Tar files byte by byte, also such as no writer makes.
inline const std::string kTarEnd(1024, '\0');

inline std::string padded(const std::string& data) {
  return data + std::string((512 - data.size() % 512) % 512, '\0');
}

// Of a header that was changed.
inline std::string with_checksum(std::string header) {
  header.replace(148, 8, "        ");
  int sum = 0;
  for (const char c : header) {
    sum += static_cast<uint8_t>(c);
  }
  return header.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
}

inline std::string tar_header(const std::string& name, size_t size_bytes, char type) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  header.replace(124, 11, fmt::format("{:011o}", size_bytes));
  header[156] = type;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  return with_checksum(header);
}

inline std::string tar_member(const std::string& name, const std::string& data, char type = '0') {
  return tar_header(name, data.size(), type) + padded(data);
}

// "<length> <key>=<value>\n"
inline std::string pax_record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size() + 1;
  while (fmt::format("{}", length).size() + rest.size() != length) {
    ++length;
  }
  return fmt::format("{}", length) + rest;
}

}  // namespace stoker::io::testing
