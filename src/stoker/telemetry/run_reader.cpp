// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_reader.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "stoker/core/files.h"
#include "stoker/core/json.h"
#include "stoker/telemetry/process_file.h"

namespace stoker::telemetry {
namespace {

namespace fs = std::filesystem;

// A file that no process had a reason to write is an empty one.
std::string text_of(const fs::path& path) {
  Result<std::string> text = read_text_file(path.string());
  return text.ok() ? std::move(*text) : std::string();
}

template <class Use>
void for_each_object(const std::string& text, Use use) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Result<Json> object = Json::parse(line);
    if (object.ok() && object->is_object()) {
      use(*object);
    }
  }
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

// The last word of a process about a lever counts; over processes, one that applied it speaks.
void read_lever_lines(const std::string& text, RunData& run) {
  struct Word {
    double pid = 0;
    Lever lever;
  };
  std::vector<Word> words;
  for_each_object(text, [&](const Json& line) {
    Word word{.pid = line["pid"].number(),
              .lever = {.id = line["id"].text(),
                        .change_class = line["class"].text(),
                        .applied = line["applied"].boolean(),
                        .planned = line["planned"].boolean(),
                        .reason = line["reason"].text(),
                        .detail = line["detail"].text()}};
    const auto same = [&](const Word& other) {
      return other.pid == word.pid && other.lever.id == word.lever.id;
    };
    const auto found = std::find_if(words.begin(), words.end(), same);
    if (found != words.end()) {
      found->lever = std::move(word.lever);
    } else if (!word.lever.id.empty()) {
      words.push_back(std::move(word));
    }
  });
  for (Word& word : words) {
    const auto same = [&](const Lever& other) { return other.id == word.lever.id; };
    const auto found = std::find_if(run.levers.begin(), run.levers.end(), same);
    if (found == run.levers.end()) {
      run.levers.push_back(std::move(word.lever));
    } else if (word.lever.applied && !found->applied) {
      *found = std::move(word.lever);
    }
  }
}

RunData read_run(const std::string& dir) {
  RunData run;
  read_processes(fs::path(dir) / "processes", run);
  read_fault_lines(text_of(fs::path(dir) / "faults.jsonl"), run);
  read_lever_lines(text_of(fs::path(dir) / "levers.jsonl"), run);
  return run;
}

}  // namespace stoker::telemetry
