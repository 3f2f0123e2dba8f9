// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/command.h"

#include <cstdio>

namespace stoker::cli {

Param threads_option() {
  return {.name = "threads",
          .kind = ParamKind::Int,
          .help = "threads, by default as many as may run at once",
          .value_name = "N",
          .min = 1,
          .max = 1024};
}

Param json_option() {
  return {.name = "json", .kind = ParamKind::Flag, .help = "print the result as JSON on stdout"};
}

void message(const std::string& text) {
  std::string out;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += "stoker: " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  // One write, so that lines of several processes do not mix.
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace stoker::cli
