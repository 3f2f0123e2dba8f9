// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/python_command.h"

#include <fmt/format.h>

#include <algorithm>

namespace stoker::cli {
namespace {

std::string base_name(const std::string& word) {
  return word.substr(word.rfind('/') + 1);
}

bool is_interpreter(const std::string& word) {
  const std::string name = base_name(word);
  return name.starts_with("python") || name.starts_with("pypy");
}

// The letters of Python's own options in front of the script: "IuB" for `python -I -u -B x.py`.
std::string python_flags(const std::vector<std::string>& command) {
  std::string flags;
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.size() < 2 || word[0] != '-' || word == "--") {
      break;
    }
    if (word[1] == '-') {
      i += word == "--check-hash-based-pycs" ? 1 : 0;
      continue;
    }
    const size_t with_value = word.find_first_of("cmWX", 1);
    flags += word.substr(1, with_value == std::string::npos ? with_value : with_value - 1);
    if (with_value == std::string::npos) {
      continue;
    }
    if (word[with_value] == 'c' || word[with_value] == 'm') {
      break;
    }
    i += with_value + 1 == word.size() ? 1 : 0;
  }
  return flags;
}

}  // namespace

Result<std::vector<std::string>> with_interpreter(const std::vector<std::string>& command,
                                                  const ProcessPaths& paths) {
  if (!command.front().ends_with(".py")) {
    return command;
  }
  Result<std::string> python = find_python(paths);
  if (!python.ok()) {
    return python.status();
  }
  std::vector<std::string> out = {*python};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

std::string out_of_reach(const std::vector<std::string>& command) {
  if (!is_interpreter(command.front())) {
    return "";
  }
  const std::string flags = python_flags(command);
  for (const char flag : {'I', 'E'}) {
    if (flags.find(flag) != std::string::npos) {
      return fmt::format("python -{} ignores PYTHONPATH, by which stoker gets in", flag);
    }
  }
  if (flags.find('S') != std::string::npos) {
    return "python -S leaves out the module by which stoker gets in";
  }
  return "";
}

std::string likely_reason(const std::vector<std::string>& command) {
  if (!is_interpreter(command.front())) {
    return "no Python process of this command loaded batches or stepped an optimizer of torch";
  }
  if (std::string certain = out_of_reach(command); !certain.empty()) {
    return certain;
  }
  return "the script did not import torch, or used neither a DataLoader nor an optimizer of it";
}

}  // namespace stoker::cli
