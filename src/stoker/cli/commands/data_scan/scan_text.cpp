// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stoker/cli/commands/data_scan/report.h"

namespace stoker::cli {
namespace {

constexpr size_t kMostReasons = 3;

std::string bytes_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string line(const char* title, const std::string& text) {
  return fmt::format("  {:<11} {}\n", title, text);
}

std::string range_text(const Json& range, int decimals) {
  return fmt::format("{:.{}f} to {:.{}f}, median {:.{}f}", range["min"].number(), decimals,
                     range["max"].number(), decimals, range["median"].number(), decimals);
}

// "jpeg 23990 · png 10".
std::string formats_text(const Json& formats) {
  std::string text;
  for (const Json& format : formats.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", format["name"].text(),
                        format["files"].integer());
  }
  return text;
}

std::string reasons_text(const Json& reasons) {
  std::string text;
  const size_t shown = std::min(reasons.items().size(), kMostReasons);
  for (size_t i = 0; i < shown; ++i) {
    const Json& reason = reasons.items()[i];
    text += line(i == 0 ? "for Pillow" : "",
                 fmt::format("{} x {}", reason["files"].integer(), reason["reason"].text()));
  }
  return text + (reasons.items().size() > shown ? line("", "... (see --json)") : "");
}

std::string problems_text(const Json& scan) {
  if (scan["problems"].items().empty()) {
    return "no problems found\n";
  }
  std::string text = "problems\n";
  for (const Json& problem : scan["problems"].items()) {
    text += fmt::format("  - {}\n    -> {}\n", problem["found"].text(), problem["fix"].text());
  }
  return text;
}

std::string files_text(const Json& scan) {
  std::string text =
      line("formats",
           formats_text(scan["formats"]) +
               fmt::format(" (progressive {}, CMYK {}, grey {})", scan["progressive"].integer(),
                           scan["cmyk"].integer(), scan["grey"].integer()));
  text += line("decoded by",
               fmt::format("stoker {} · Pillow {} · nobody {}{}", scan["native"].integer(),
                           scan["pillow"].integer(), scan["broken"].items().size(),
                           scan["unjudged"].items().empty()
                               ? ""
                               : fmt::format(" · not known {}", scan["unjudged"].items().size())));
  return text + reasons_text(scan["pillow_reasons"]);
}

std::string sizes_text(const Json& sizes) {
  if (sizes.is_null()) {
    return "";
  }
  std::string bins;
  for (const Json& bin : sizes["histogram"].items()) {
    const std::string below = bin["below_megapixels"].is_null()
                                  ? "more"
                                  : fmt::format("{:g}", bin["below_megapixels"].number());
    bins += fmt::format("{}{:g}-{}: {:.0f} %", bins.empty() ? "" : " · ",
                        bin["from_megapixels"].number(), below,
                        100 * bin["files"].number() / sizes["files"].number());
  }
  return line("width", range_text(sizes["width"], 0)) +
         line("height", range_text(sizes["height"], 0)) +
         line("megapixels", range_text(sizes["megapixels"], 2)) + line("", bins);
}

std::string classes_text(const Json& classes) {
  if (classes.is_null()) {
    return "";
  }
  const auto named = [](const Json& entry) {
    return fmt::format("{} ({})", entry["name"].text(), entry["files"].integer());
  };
  return line("classes", fmt::format("{}, smallest {}, largest {}", classes["count"].integer(),
                                     named(classes["smallest"]), named(classes["largest"])));
}

std::string use_text(const Json& scan) {
  std::string text;
  if (!scan["pixels"].is_null()) {
    text += line("pixels", fmt::format("{} (of {} images)", scan["pixels"]["normalize"].text(),
                                       scan["pixels"]["images"].integer()));
  }
  if (!scan["speed"].is_null()) {
    const Json& speed = scan["speed"];
    text += line("speed", fmt::format("{:.0f} samples/s with {} thread{}, files in memory: {}",
                                      speed["samples_per_s"].number(), speed["threads"].integer(),
                                      speed["threads"].integer() == 1 ? "" : "s",
                                      speed["transforms"].text()));
  }
  return text + line("index", scan["index"]["found"].boolean()
                                  ? fmt::format("of {} files", scan["index"]["files"].integer())
                                  : "none; `stoker data index` makes crops of JPEGs faster");
}

}  // namespace

std::string scan_text(const Json& scan) {
  const double seconds = scan["elapsed_ms"].number() / 1e3;
  return fmt::format("{}: {} files, {}, all decoded in {:.1f} s\n", scan["path"].text(),
                     scan["files"].integer(), bytes_text(scan["bytes"].number()), seconds) +
         problems_text(scan) + "what is there\n" + files_text(scan) + sizes_text(scan["sizes"]) +
         classes_text(scan["classes"]) + use_text(scan);
}

}  // namespace stoker::cli
