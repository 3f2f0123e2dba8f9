// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/sources/tar/class_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/core/files.h"
#include "stoker/core/json.h"

namespace stoker::io {

std::vector<std::string> read_class_names(const std::string& folder,
                                          const std::vector<int32_t>& labels) {
  const Result<std::string> text = read_text_file(fmt::format("{}/classes.json", folder));
  const Result<Json> json = text.ok() ? Json::parse(*text) : text.status();
  std::vector<std::string> names;
  if (!json.ok()) {
    return names;
  }
  for (const Json& name : json->items()) {
    names.push_back(name.text());
  }
  const bool fits = std::all_of(labels.begin(), labels.end(), [&](int32_t label) {
    return label >= 0 && static_cast<size_t>(label) < names.size();
  });
  return fits ? names : std::vector<std::string>();
}

}  // namespace stoker::io
