// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "stoker/core/clock.h"

namespace stoker::cli {
namespace {

constexpr int64_t kRedrawNs = 100'000'000;
constexpr double kLeastSeconds = 1;  // before a speed is more than a guess

std::string duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 120) {
    return fmt::format("{} s", whole);
  }
  return whole < 7200 ? fmt::format("{} min", (whole + 30) / 60)
                      : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_text(const std::string& unit, int64_t done, int64_t total, double seconds) {
  std::string text = fmt::format("{} of {} {}", done, total, unit);
  if (seconds >= kLeastSeconds && done > 0) {
    const double speed = static_cast<double>(done) / seconds;
    text += fmt::format(", {:.{}f} {}/s", speed, speed < 10 ? 1 : 0, unit);
    if (done < total) {
      text += fmt::format(", {} left", duration(static_cast<double>(total - done) / speed));
    }
  }
  return text;
}

ProgressLine::ProgressLine(std::string unit)
    : unit_(std::move(unit)), terminal_(::isatty(STDERR_FILENO) != 0), begin_ns_(now_ns()) {}

ProgressLine::~ProgressLine() {
  if (shown_) {
    fmt::print(stderr, "\n");
  }
}

void ProgressLine::show(int64_t done, int64_t total) {
  const int64_t now = now_ns();
  if (!terminal_ || (now - shown_ns_ < kRedrawNs && done < total)) {
    return;
  }
  shown_ns_ = now;
  shown_ = true;
  const double seconds = static_cast<double>(now - begin_ns_) * 1e-9;
  fmt::print(stderr, "\r\033[Kstoker: {}", progress_text(unit_, done, total, seconds));
  std::fflush(stderr);
}

}  // namespace stoker::cli
