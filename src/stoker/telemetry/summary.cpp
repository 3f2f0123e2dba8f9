// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "stoker/telemetry/lever_lines.h"

namespace stoker::telemetry {
namespace {

constexpr int kBarCells = 28;
constexpr int kWordCells = 13;
constexpr int kDryWordCells = 15;       // "would leave out"
constexpr double kSmallestRow = 0.005;  // shares below it would print as 0 %

// Three significant digits: "0.42", "7.5", "182", "1,240".
std::string short_number(double value) {
  if (value >= 99.95) {
    return with_thousands(std::llround(value));
  }
  return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
}

std::string milliseconds(double ms) {
  return ms >= 10'000 ? short_number(ms / 1000) + " s" : short_number(ms) + " ms";
}

class Lines {
 public:
  Lines(bool color, int word_cells) : color_(color), word_cells_(word_cells) {}

  void head(const std::string& text) { out_ += fmt::format("stoker  {}\n", text); }
  void bold(const std::string& text) {
    head(color_ ? fmt::format("\033[1m{}\033[0m", text) : text);
  }
  // Below a head: a word and what it says.
  void row(const std::string& word, const std::string& text) {
    out_ += fmt::format("stoker          {:<{}} {}\n", word, word_cells_, text);
  }
  void bar_row(const std::string& word, double share, double ms) {
    const std::string drawn = bar(share, kBarCells);
    row(word, fmt::format("{} {:>3.0f} % {:>10}", color_ ? paint(drawn) : drawn, share * 100,
                          milliseconds(ms)));
  }
  std::string take() { return std::move(out_); }

 private:
  static std::string paint(const std::string& text) {
    return fmt::format("\033[36m{}\033[0m", text);
  }
  std::string out_;
  bool color_;
  int word_cells_;
};

void add_steps(Lines& lines, const RunReport& report) {
  if (report.steps <= report.warmup) {
    return;
  }
  std::string text =
      fmt::format("{} steps · {} ms a step (p10 {}, p90 {})", with_thousands(report.steps),
                  short_number(report.step_median_ms), short_number(report.step_p10_ms),
                  short_number(report.step_p90_ms));
  if (report.samples_per_s > 0) {
    text += fmt::format(" · {} samples/s", short_number(report.samples_per_s));
  }
  if (report.ranks.size() > 1) {
    text += fmt::format(" on {} ranks", report.ranks.size());
  }
  if (report.overhead_us_per_step) {
    text +=
        fmt::format(" · watching cost {} µs a step", short_number(*report.overhead_us_per_step));
  }
  lines.head(text);
  for (const PhaseRow& row : report.phases) {
    if (!row.share || *row.share < kSmallestRow) {
      continue;
    }
    std::string name = row.name == "residual" ? "rest" : row.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    lines.bar_row(row.clock == "device" ? "gpu " + name : name, *row.share,
                  row.mean_ms.value_or(0));
  }
}

std::string lever_name(const Lever& lever) {
  std::string name = lever.id;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string done_text(const Lever& lever, const RunReport& report) {
  std::string text = fmt::format("{} [{}]", lever_name(lever), lever.change_class);
  if (!lever.ranks.empty()) {
    text += fmt::format(" on {} only ({})", ranks_text(lever.ranks), lever.reason);
  }
  if (lever.id == "native_decoding" && lever.applied) {
    text += fmt::format(": {} images, {} compared with Pillow, {} differ",
                        with_thousands(report.counter(Counter::ImagesNative)),
                        with_thousands(report.counter(Counter::ImagesCompared)),
                        with_thousands(report.counter(Counter::ImagesDiffer)));
    const int64_t pillow = report.counter(Counter::ImagesPillow);
    if (pillow > 0) {
      text += fmt::format(", {} left to Pillow", with_thousands(pillow));
    }
  } else if (!lever.detail.empty()) {
    text += ": " + lever.detail;
  }
  return text;
}

// That a machine without a GPU has no use for them is no news to somebody who asked for no levers.
bool goes_without_saying(const Lever& lever, const RunReport& report) {
  const std::vector<std::string>& allow = report.context.allow;
  return allow == std::vector<std::string>{"exact"} && lever.reason == "no CUDA device in use";
}

using Levers = std::vector<const Lever*>;

// Those with the same value of `what`, in the order of the first of each.
std::vector<Levers> groups(const Levers& levers, const std::string Lever::* what) {
  std::vector<Levers> found;
  for (const Lever* lever : levers) {
    const auto group = std::find_if(found.begin(), found.end(), [&](const Levers& known) {
      return known.front()->*what == lever->*what;
    });
    if (group == found.end()) {
      found.push_back({lever});
    } else {
      group->push_back(lever);
    }
  }
  return found;
}

// "non blocking, pinned memory [exact], sdpa [rounding]"
std::string lever_names(const Levers& levers) {
  std::string text;
  for (const Levers& group : groups(levers, &Lever::change_class)) {
    for (const Lever* lever : group) {
      text += (text.empty() ? "" : ", ") + lever_name(*lever);
    }
    text += fmt::format(" [{}]", group.front()->change_class);
  }
  return text;
}

void add_left_out(Lines& lines, const RunReport& report, const Levers& levers) {
  for (const Levers& group : groups(levers, &Lever::reason)) {
    lines.row(report.context.dry_run ? "would leave out" : "left out",
              fmt::format("{}: {}", lever_names(group), group.front()->reason));
  }
}

void add_levers(Lines& lines, const RunReport& report) {
  const bool dry = report.context.dry_run;
  bool unproven = false;
  Levers left_out;
  for (const Lever& lever : report.levers) {
    if (dry ? lever.planned : lever.applied) {
      lines.row(dry ? "would do" : "done", done_text(lever, report));
      unproven = unproven || lever.change_class == "rounding" || lever.change_class == "precision";
    } else if (!goes_without_saying(lever, report)) {
      left_out.push_back(&lever);
    }
  }
  add_left_out(lines, report, left_out);
  if (unproven) {
    lines.row("not proven",
              "rounding and precision levers are not proven for this script; `stoker tune` does "
              "that (not in this version yet)");
  }
}

void add_pauses(Lines& lines, const RunReport& report) {
  // Starting the first epoch is a pause of every run.
  if (report.pause_count < 2 && report.pause_ms < 1000) {
    return;
  }
  std::string text = fmt::format("{} between steps, {} in all", with_thousands(report.pause_count),
                                 milliseconds(report.pause_ms));
  if (report.pause_worker_start_ms >= 1) {
    text += fmt::format(", {} of it starting workers", milliseconds(report.pause_worker_start_ms));
  }
  if (report.pause_lever_work_ms >= 1) {
    text += fmt::format(", {} of it trying levers (compiling included)",
                        milliseconds(report.pause_lever_work_ms));
  }
  lines.row("pauses", text);
}

void add_faults(Lines& lines, const RunReport& report) {
  for (const Fault& fault : report.errors) {
    const std::string times = fault.count > 1 ? fmt::format(" ({} times)", fault.count) : "";
    std::string error = fault.error;
    std::replace_if(error.begin(), error.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    lines.row("fault",
              fmt::format("in stoker, not in your script: {}: {}{}", fault.where, error, times));
  }
}

}  // namespace

std::string with_thousands(int64_t value) {
  std::string digits = std::to_string(value);
  const auto first = static_cast<ptrdiff_t>(value < 0 ? 1 : 0);
  for (auto at = static_cast<ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(digits.begin() + at, ',');
  }
  return digits;
}

std::string bar(double share, int cells) {
  static constexpr std::array<const char*, 8> kPart = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * cells * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) {
    out += "█";
  }
  out += kPart.at(static_cast<size_t>(eighths % 8));
  for (int i = (eighths + 7) / 8; i < cells; ++i) {
    out += "·";
  }
  return out;
}

std::string summary_text(const RunReport& report, const SummaryOptions& options) {
  const bool dry = report.context.dry_run;
  Lines lines(options.color, dry ? kDryWordCells : kWordCells);
  if (dry) {
    lines.bold("DRY RUN: nothing was applied, and the script ends after its first three steps.");
  }
  if (!dry || report.steps == 0) {
    add_steps(lines, report);
    lines.bold(report.verdict.sentence);
  }
  add_levers(lines, report);
  add_pauses(lines, report);
  add_faults(lines, report);
  for (const std::string& note : options.notes) {
    lines.row("note", note);
  }
  if (!options.folder.empty()) {
    lines.row("files", options.folder);
  }
  return lines.take();
}

}  // namespace stoker::telemetry
