// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stoker {

// What lever.toml says about a lever, for C++ and Python alike.
struct LeverFacts {
  std::string id;
  std::string change_class;  // "exact", "rounding", ...; `class` in JSON and TOML
  std::string title;
  std::string help;
  std::string when_not;
  std::string source;
};

// The levers of a Python package, levers/*/lever.toml, in the order of their ids. None where there
// is no such folder. Throws Error (InvalidArgument) for a file that breaks the rules.
std::vector<LeverFacts> read_levers(const std::string& package);

// Text of several lines as one, runs of spaces as one space.
std::string one_line(const std::string& text);

}  // namespace stoker
