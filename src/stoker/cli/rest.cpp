// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/rest.h"

#include <algorithm>

namespace stoker::cli {

std::string option_flag(const Param& param) {
  std::string flag = "--" + param.name;
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

SplitArgs split_rest(const Command& command, const std::vector<std::string>& args) {
  const auto takes_value = [&](const std::string& word) {
    return std::any_of(command.options.begin(), command.options.end(), [&](const Param& param) {
      return param.kind != ParamKind::Flag && option_flag(param) == word;
    });
  };
  size_t at = 0;
  while (at < args.size() && args[at].size() > 1 && args[at][0] == '-' && args[at] != "--") {
    at += takes_value(args[at]) ? 2 : 1;
  }
  at = std::min(at, args.size());
  const auto border = args.begin() + static_cast<std::ptrdiff_t>(at);
  const bool marked = border != args.end() && *border == "--";
  return {.own = {args.begin(), border}, .rest = {border + (marked ? 1 : 0), args.end()}};
}

}  // namespace stoker::cli
