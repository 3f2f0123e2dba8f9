// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_bench/baseline.h"

#include <fmt/format.h>

#include <utility>

namespace stoker::cli {
namespace {

constexpr int kBlockExtraMs = 60'000;

}  // namespace

Result<std::unique_ptr<Baseline>> Baseline::start(const std::string& folder,
                                                  const std::string& transforms, int workers) {
  Result<std::unique_ptr<PythonScript>> script =
      PythonScript::start("bench_baseline.py", {folder, transforms, fmt::format("{}", workers)});
  if (!script.ok()) {
    return script.status();
  }
  return std::unique_ptr<Baseline>(new Baseline(std::move(*script)));
}

Result<BaselineBlock> Baseline::run_block(double seconds) {
  const Status sent = script_->process().write_line(fmt::format("{}", seconds));
  if (!sent.ok()) {
    return sent;
  }
  const Result<Json> answer =
      script_->read_answer(static_cast<int>(seconds * 1000) + kBlockExtraMs);
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
