// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/json_lines.h"

#include <sstream>

namespace stoker::telemetry {
namespace {

constexpr const char* kBegin = "{\"";
constexpr int kMostTries = 16;  // a damaged file must not take long

bool use_object(const std::string& text, const std::function<void(const Json&)>& use) {
  const Result<Json> object = Json::parse(text);
  if (object.ok() && object->is_object()) {
    use(*object);
  }
  return object.ok();
}

}  // namespace

int for_each_object(const std::string& text, const std::function<void(const Json&)>& use) {
  int cut = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (use_object(line, use)) {
      continue;
    }
    size_t begin = line.find(kBegin);
    cut += begin == 0 ? 1 : 0;
    for (int i = 0; i < kMostTries && begin != std::string::npos; ++i) {
      begin = line.find(kBegin, begin + 1);
      if (begin != std::string::npos && use_object(line.substr(begin), use)) {
        break;
      }
    }
  }
  return cut;
}

}  // namespace stoker::telemetry
