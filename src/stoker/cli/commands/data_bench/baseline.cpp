// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_bench/baseline.h"

#include <fmt/format.h>

#include <utility>

#include "stoker/core/json.h"
#include "stoker/core/process_paths.h"

namespace stoker::cli {
namespace {

constexpr int kStartTimeoutMs = 180'000;  // torch from a cold disk
constexpr int kBlockExtraMs = 60'000;

Result<Json> read_answer(LineProcess& process, int timeout_ms) {
  const Result<std::string> line = process.read_line(timeout_ms);
  if (!line.ok()) {
    return line.status();
  }
  Result<Json> answer = Json::parse(*line);
  if (answer.ok() && !(*answer)["error"].is_null()) {
    return Status(ErrorCode::Unsupported, (*answer)["error"].text());
  }
  return answer;
}

}  // namespace

Result<std::unique_ptr<Baseline>> Baseline::start(const std::string& folder, int32_t size,
                                                  int workers) {
  const ProcessPaths paths = ProcessPaths::of_this_process();
  const Result<std::string> package = find_python_package(paths);
  if (!package.ok()) {
    return package.status();
  }
  const Result<std::string> python = find_python(paths);
  if (!python.ok()) {
    return python.status();
  }
  auto process = std::make_unique<LineProcess>(
      std::vector<std::string>{*python, *package + "/bench_baseline.py", folder,
                               fmt::format("{}", size), fmt::format("{}", workers)});
  const Result<Json> ready = read_answer(*process, kStartTimeoutMs);
  if (!ready.ok()) {
    return Status(ready.status().code(), fmt::format("{} ({})", ready.status().message(), *python));
  }
  return std::unique_ptr<Baseline>(new Baseline(std::move(process), (*ready)["name"].text()));
}

Result<BaselineBlock> Baseline::run_block(double seconds) {
  const Status sent = process_->write_line(fmt::format("{}", seconds));
  if (!sent.ok()) {
    return sent;
  }
  const Result<Json> answer =
      read_answer(*process_, static_cast<int>(seconds * 1000) + kBlockExtraMs);
  if (!answer.ok()) {
    return answer.status();
  }
  const BaselineBlock block{.samples = (*answer)["samples"].integer(),
                            .seconds = (*answer)["seconds"].number()};
  if (block.samples < 1 || block.seconds <= 0) {
    return Status(ErrorCode::Internal, "the baseline measured nothing");
  }
  return block;
}

}  // namespace stoker::cli
