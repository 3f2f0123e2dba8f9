// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_pack/sizes.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace stoker::cli {
namespace {

constexpr double kMostBytes = 1e15;
constexpr int64_t kMostParts = 1'000'000;
constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{{"", 1},
                                                                        {"B", 1},
                                                                        {"kB", 1e3},
                                                                        {"MB", 1e6},
                                                                        {"GB", 1e9},
                                                                        {"KiB", 1024.0},
                                                                        {"MiB", 1048576.0},
                                                                        {"GiB", 1073741824.0}}};

Status wrong(std::string_view text, std::string_view expected) {
  return {ErrorCode::InvalidArgument, fmt::format("got '{}', expected {}", text, expected)};
}

bool parse_whole(std::string_view text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<int64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  unit.remove_prefix(unit.starts_with(' ') ? 1 : 0);
  for (const auto& [name, bytes] : kUnits) {
    const double size = number * bytes;
    if (error == std::errc() && unit == name && size >= 1 && size <= kMostBytes) {
      return static_cast<int64_t>(size);
    }
  }
  return wrong(text, "a size in bytes such as 500000, 256MB or 1GiB");
}

Result<Part> parse_part(std::string_view text) {
  const size_t slash = text.find('/');
  Part part;
  if (slash != std::string_view::npos && parse_whole(text.substr(0, slash), part.number) &&
      parse_whole(text.substr(slash + 1), part.count) && part.number >= 1 &&
      part.number <= part.count && part.count <= kMostParts) {
    return part;
  }
  return wrong(text, "one part of several, such as 1/8, from 1/8 to 8/8");
}

}  // namespace stoker::cli
