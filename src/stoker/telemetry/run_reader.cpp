// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_reader.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "stoker/core/files.h"
#include "stoker/telemetry/json_lines.h"
#include "stoker/telemetry/lever_lines.h"
#include "stoker/telemetry/process_file.h"

namespace stoker::telemetry {
namespace {

namespace fs = std::filesystem;

// A file that no process had a reason to write is an empty one.
std::string text_of(const fs::path& path) {
  Result<std::string> text = read_text_file(path.string());
  return text.ok() ? std::move(*text) : std::string();
}

void read_processes(const fs::path& dir, RunData& run) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".stk") {
      paths.push_back(it->path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    Result<ProcessData> process = read_process_file(path);
    if (!process.ok()) {
      run.add_fault("process file", process.status().message());
    } else if (process->info.role == Role::Main) {
      run.mains.push_back(std::move(*process));
    } else {
      run.workers.merge(process->work);
    }
  }
  const auto order = [](const ProcessData& process) {
    return std::tuple(process.info.rank, -process.steps.steps, process.info.pid);
  };
  std::sort(run.mains.begin(), run.mains.end(),
            [&](const ProcessData& a, const ProcessData& b) { return order(a) < order(b); });
}

}  // namespace

void read_fault_lines(const std::string& text, RunData& run) {
  for_each_object(text, [&](const Json& line) {
    const std::string where = line["where"].text();
    const std::string error = line["error"].text();
    if (!where.empty() || !error.empty()) {
      run.add_fault(where, error);
    }
  });
}

RunData read_run(const std::string& dir) {
  RunData run;
  read_processes(fs::path(dir) / "processes", run);
  read_fault_lines(text_of(fs::path(dir) / "faults.jsonl"), run);
  read_lever_lines(text_of(fs::path(dir) / "levers.jsonl"), run);
  return run;
}

}  // namespace stoker::telemetry
