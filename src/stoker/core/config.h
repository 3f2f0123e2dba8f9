// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stoker/core/params.h"

namespace stoker {

// A TOML file as sections of named values. Nested tables become "outer.inner".
class Config {
 public:
  // `source` is named in messages, as "source:line: ...". Throws Error (InvalidArgument) for bad
  // TOML and for values that no parameter can hold, such as dates.
  static Config parse(std::string_view toml, const std::string& source);
  // Throws Error (NotFound, IoError) when the file cannot be read.
  static Config read(const std::string& path);

  // The values of a section ("" is the top level) checked against a schema, fallbacks filled in.
  // A section that is not there is empty. Throws Error (InvalidArgument).
  ParamMap section(const std::string& name, const ParamSchema& schema) const;
  // In the order of their names.
  std::vector<std::string> section_names() const;

 private:
  struct Entry {
    std::string section;
    std::string name;
    std::string text;
    int line = 0;
  };
  std::string source_;
  std::vector<Entry> entries_;
  friend struct ConfigReader;
};

}  // namespace stoker
