// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string_view>

#include "stoker/cli/command.h"
#include "stoker/cli/commands/run/process.h"
#include "stoker/cli/commands/run/python_command.h"
#include "stoker/cli/commands/run/run_folder.h"
#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/process_paths.h"
#include "stoker/core/system_view.h"
#include "stoker/telemetry/run_json.h"
#include "stoker/telemetry/run_reader.h"
#include "stoker/telemetry/run_report.h"
#include "stoker/telemetry/summary.h"
#include "stoker/telemetry/trace.h"

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_disabled() {
  const char* value = std::getenv("STOKER_DISABLE");
  return value != nullptr && std::string_view(value) == "1";
}

bool wants_color() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && !is_set("NO_COLOR") && term != nullptr &&
         std::string_view(term) != "dumb";
}

// One run, from its folder to its report.
class Session {
 public:
  Session(const std::vector<std::string>& command, std::vector<std::string> argv,
          const RunOptions& options)
      : command_(command), argv_(std::move(argv)), options_(options) {}

  void prepare() {
    Result<RunFolder> made = make_run_folder({.out = options_.out});
    if (!made.ok()) {
      unwatched_ =
          fmt::format("no folder for its files could be made ({})", made.status().message());
      return;
    }
    const Result<std::string> package = find_python_package(ProcessPaths::of_this_process());
    folder_ = *made;
    if (!folder_.note.empty()) {
      notes_.push_back(folder_.note);
    }
    if (!package.ok()) {
      unwatched_ = package.status().message();
      return;
    }
    set_environment(*package);
  }

  // Why the command cannot be watched, or "".
  [[nodiscard]] std::string unwatched() const {
    if (!unwatched_.empty()) {
      return unwatched_;
    }
    return environment_.empty() ? "preparing the run failed" : out_of_reach(argv_);
  }

  ChildEnd run() {
    started_ns_ = wall_ns();
    log(fmt::format("start {}", fmt::join(argv_, " ")));
    for (const auto& [name, value] : environment_) {
      log(fmt::format("set {}={}", name, value));
    }
    const ChildEnd end = run_child({.argv = argv_, .environment = environment_});
    ended_ns_ = wall_ns();
    log(end.signal != 0 ? fmt::format("ended by signal {}", end.signal)
                        : fmt::format("ended with status {}", end.exit_status));
    return end;
  }

  void report(const ChildEnd& end) {
    telemetry::RunData run;
    if (has_folder()) {
      run = telemetry::read_run(folder_.path);
    }
    const telemetry::RunReport report = telemetry::make_report(run, context(end, run));
    for (const telemetry::Fault& fault : run.faults) {
      log(fmt::format("fault {}: {} ({})", fault.where, fault.error, fault.count));
    }
    log(report.verdict.sentence);
    if (has_folder()) {
      write_files(report, run);
    }
    // A command that did not start has had its message, and nothing else happened.
    if (!options_.quiet && end.exec_error == 0) {
      const std::string text = telemetry::summary_text(
          report, {.folder = folder_.shown, .notes = notes_, .color = wants_color()});
      std::fwrite(text.data(), 1, text.size(), stderr);
    }
  }

 private:
  [[nodiscard]] bool has_folder() const { return !folder_.path.empty(); }

  void set_environment(const std::string& package) {
    std::string path = (fs::path(package) / "hook").string();
    std::error_code ignored;
    path = fs::absolute(path, ignored).lexically_normal().string();
    if (is_set("PYTHONPATH")) {
      path += fmt::format(":{}", std::getenv("PYTHONPATH"));
    }
    environment_ = {{"PYTHONPATH", path},
                    {"STOKER_RUN_DIR", folder_.path},
                    {"STOKER_ALLOW", options_.allow.empty()
                                         ? std::string("none")
                                         : fmt::format("{}", fmt::join(options_.allow, ","))}};
    if (!options_.without.empty()) {
      environment_.emplace_back("STOKER_WITHOUT",
                                fmt::format("{}", fmt::join(options_.without, ",")));
    }
    if (options_.dry_run) {
      environment_.emplace_back("STOKER_DRY_RUN", "1");
    }
    if (!options_.config.empty()) {
      environment_.emplace_back("STOKER_CONFIG", fs::absolute(options_.config, ignored).string());
    }
  }

  telemetry::RunContext context(const ChildEnd& end, const telemetry::RunData& run) const {
    std::string reason = likely_reason(argv_);
    if (!unwatched_.empty()) {
      reason = unwatched_;
    } else if (end.exec_error != 0) {
      reason = "the command could not be started";
    } else if (!run.faults.empty()) {
      reason = "an error in stoker's own code, see below";
    }
    return {.command = command_,
            .exit_status = end.exit_status,
            .signal = end.signal,
            .started_wall_ns = started_ns_,
            .ended_wall_ns = ended_ns_,
            .machine = SystemView().machine(),
            .allow = options_.allow,
            .dry_run = options_.dry_run,
            .not_attached_reason = reason};
  }

  // The merged files take the place of those that the processes wrote.
  void write_files(const telemetry::RunReport& report, const telemetry::RunData& run) {
    const bool written = write("run.json", telemetry::run_json(report).dump() + "\n");
    if (!run.mains.empty()) {
      write("trace.json", telemetry::trace_json(run));
    }
    if (written) {
      std::error_code ignored;
      for (const char* name : {"processes", "faults.jsonl", "levers.jsonl", "images.count"}) {
        fs::remove_all(fs::path(folder_.path) / name, ignored);
      }
    }
    if (options_.out.empty()) {
      drop_old_runs(fs::path(folder_.path).parent_path().string(), options_.keep, folder_.path);
    }
  }

  bool write(const char* name, const std::string& text) {
    const Status status =
        write_file_atomic((fs::path(folder_.path) / name).string(), text, {.sync = false});
    if (!status.ok()) {
      notes_.push_back(fmt::format("{} could not be written: {}", name, status.message()));
    }
    return status.ok();
  }

  // A log that cannot be written is no loss: the end of the run says what matters.
  void log(const std::string& text) const {
    if (!has_folder()) {
      return;
    }
    std::FILE* file = std::fopen((fs::path(folder_.path) / "log.txt").c_str(), "ae");
    if (file != nullptr) {
      const std::string line = fmt::format("{} {}\n", telemetry::utc_text(wall_ns()), text);
      std::fwrite(line.data(), 1, line.size(), file);
      std::fclose(file);
    }
  }

  const std::vector<std::string>& command_;
  std::vector<std::string> argv_;
  const RunOptions& options_;
  RunFolder folder_;       // without a path: there is none
  std::string unwatched_;  // why nothing is watched, or ""
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, std::string>> environment_;
  int64_t started_ns_ = 0;
  int64_t ended_ns_ = 0;
};

// Keeps an error of stoker's own away from the command.
template <class Work>
void fail_open(const char* what, Work work) {
  try {
    work();
  } catch (const Error&) {
    throw;  // wrong usage, found before the command has started
  } catch (const std::exception& error) {
    message(fmt::format("{} failed: {}; the command is not affected", what, error.what()));
  }
}

// Whoever asks for a dry run must not get a whole one, which would save over what is there.
void refuse_whole_run(const RunOptions& options, const std::string& unwatched) {
  if (options.dry_run && !unwatched.empty()) {
    throw Error(ErrorCode::IoError,
                fmt::format("--dry-run: the command was not started, because nothing would end it "
                            "after its first steps: {}",
                            unwatched));
  }
}

}  // namespace

int run_session(const std::vector<std::string>& command, const RunOptions& options) {
  Result<std::vector<std::string>> argv =
      with_interpreter(command, ProcessPaths::of_this_process());
  if (!argv.ok()) {
    message(argv.status().message());
    return 127;
  }
  if (is_disabled()) {
    refuse_whole_run(options, "STOKER_DISABLE is set");
    const int status = become(*argv);
    message(exec_message(argv->front(), errno));
    return status;
  }
  take_write_errors();
  Session session(command, *argv, options);
  fail_open("preparing the run", [&] { session.prepare(); });
  refuse_whole_run(options, session.unwatched());
  const ChildEnd end = session.run();
  if (end.exec_error != 0) {
    message(exec_message(argv->front(), end.exec_error));
  }
  try {
    session.report(end);
  } catch (const std::exception& error) {
    message(fmt::format("the report failed: {}; the command is not affected", error.what()));
  }
  return end.signal != 0 ? die_by(end.signal) : end.exit_status;
}

}  // namespace stoker::cli
