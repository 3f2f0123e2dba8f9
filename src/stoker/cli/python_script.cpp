// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/python_script.h"

#include <fmt/format.h>

#include "stoker/core/process_paths.h"

namespace stoker::cli {
namespace {

constexpr int kStartTimeoutMs = 180'000;  // torch from a cold disk

}  // namespace

Result<std::unique_ptr<PythonScript>> PythonScript::start(
    const std::string& file, const std::vector<std::string>& arguments) {
  const ProcessPaths paths = ProcessPaths::of_this_process();
  const Result<std::string> package = find_python_package(paths);
  if (!package.ok()) {
    return package.status();
  }
  const Result<std::string> python = find_python(paths);
  if (!python.ok()) {
    return python.status();
  }
  std::vector<std::string> argv = {*python, *package + "/" + file};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::unique_ptr<PythonScript> script(new PythonScript(argv));
  Result<Json> ready = script->read_answer(kStartTimeoutMs);
  if (!ready.ok()) {
    return Status(ready.status().code(), fmt::format("{} ({})", ready.status().message(), *python));
  }
  script->ready_ = std::move(*ready);
  return script;
}

Result<Json> PythonScript::read_answer(int timeout_ms) {
  const Result<std::string> line = process_.read_line(timeout_ms);
  if (!line.ok()) {
    return line.status();
  }
  Result<Json> answer = Json::parse(*line);
  if (answer.ok() && !(*answer)["error"].is_null()) {
    return Status(ErrorCode::Unsupported, (*answer)["error"].text());
  }
  return answer;
}

}  // namespace stoker::cli
