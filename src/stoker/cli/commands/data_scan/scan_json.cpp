// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "stoker/cli/commands/data_scan/report.h"
#include "stoker/core/stats.h"

namespace stoker::cli {
namespace {

using scan::ScanResult;

// Lower edges of the histogram, in megapixels.
constexpr std::array<double, 11> kMegapixels = {0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50};

Json range_json(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return Json::object({{"min", *least}, {"median", median(values)}, {"max", *most}});
}

Json histogram_json(const std::vector<double>& megapixels) {
  std::array<int64_t, kMegapixels.size()> counts{};
  for (const double value : megapixels) {
    const auto above = std::upper_bound(kMegapixels.begin(), kMegapixels.end(), value);
    ++counts[static_cast<size_t>(above - kMegapixels.begin()) - 1];
  }
  Json bins = Json::array();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      const bool last = i + 1 == counts.size();
      bins.push(Json::object({{"from_megapixels", kMegapixels[i]},
                              {"below_megapixels", last ? Json() : Json(kMegapixels[i + 1])},
                              {"files", counts[i]}}));
    }
  }
  return bins;
}

Json sizes_json(const ScanResult& result) {
  if (result.widths.empty()) {
    return {};
  }
  std::vector<double> megapixels;
  megapixels.reserve(result.widths.size());
  for (size_t i = 0; i < result.widths.size(); ++i) {
    megapixels.push_back(static_cast<double>(result.widths[i]) * result.heights[i] * 1e-6);
  }
  return Json::object({{"files", result.widths.size()},
                       {"width", range_json({result.widths.begin(), result.widths.end()})},
                       {"height", range_json({result.heights.begin(), result.heights.end()})},
                       {"megapixels", range_json(megapixels)},
                       {"histogram", histogram_json(megapixels)}});
}

// The most frequent first, then by name.
Json counts_json(const std::string& key, std::vector<std::pair<std::string, int64_t>> counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Json list = Json::array();
  for (const auto& [name, files] : counts) {
    list.push(Json::object({{key, name}, {"files", files}}));
  }
  return list;
}

Json formats_json(const ScanResult& result) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (size_t format = 0; format < result.formats.size(); ++format) {
    if (result.formats[format] > 0) {
      counts.emplace_back(image_format_name(static_cast<scan::ImageFormat>(format)),
                          result.formats[format]);
    }
  }
  return counts_json("name", std::move(counts));
}

Json files_json(const std::vector<scan::NamedFile>& files) {
  Json list = Json::array();
  for (const scan::NamedFile& file : files) {
    list.push(Json::object({{"name", file.name}, {"reason", file.reason}}));
  }
  return list;
}

std::string class_name(const io::Source& source, int64_t label) {
  const auto at = static_cast<size_t>(label);
  return label >= 0 && at < source.classes().size() ? source.classes()[at]
                                                    : fmt::format("{}", label);
}

Json duplicates_json(const io::Source& source, const ScanResult& result) {
  Json groups = Json::array();
  int64_t extra_files = 0;
  int64_t extra_bytes = 0;
  int64_t mixed_groups = 0;
  for (const scan::DuplicateGroup& group : result.duplicates) {
    Json names = Json::array();
    std::set<int64_t> labels;
    for (const int64_t sample : group.samples) {
      names.push(source.name(sample));
      labels.insert(source.label(sample));
    }
    Json classes = Json::array();
    for (const int64_t label : labels) {
      classes.push(class_name(source, label));
    }
    const auto extra = static_cast<int64_t>(group.samples.size()) - 1;
    extra_files += extra;
    extra_bytes += extra * group.bytes;
    mixed_groups += labels.size() > 1 ? 1 : 0;
    groups.push(Json::object(
        {{"bytes", group.bytes}, {"names", std::move(names)}, {"classes", std::move(classes)}}));
  }
  return Json::object({{"extra_files", extra_files},
                       {"extra_bytes", extra_bytes},
                       {"groups_in_several_classes", mixed_groups},
                       {"groups", std::move(groups)}});
}

Json classes_json(const io::Source& source, const ScanResult& result) {
  if (result.files_of_label.empty()) {
    return {};
  }
  const auto by_files = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] =
      std::minmax_element(result.files_of_label.begin(), result.files_of_label.end(), by_files);
  const auto named = [&](const auto& entry) {
    return Json::object({{"name", class_name(source, entry.first)}, {"files", entry.second}});
  };
  Json counts = Json::array();
  for (const auto& entry : result.files_of_label) {
    counts.push(named(entry));
  }
  return Json::object({{"count", result.files_of_label.size()},
                       {"smallest", named(*least)},
                       {"largest", named(*most)},
                       {"ratio", least->second == 0 ? Json()
                                                    : Json(static_cast<double>(most->second) /
                                                           static_cast<double>(least->second))},
                       {"files", std::move(counts)}});
}

Json pixels_json(const ScanResult& result) {
  if (result.sums.pixels == 0) {
    return {};
  }
  const scan::PixelStats stats = pixel_stats(result.sums);
  const auto list = [](const std::array<double, 3>& v) { return Json::array({v[0], v[1], v[2]}); };
  const auto text = [](const std::array<double, 3>& v) {
    return fmt::format("({:.4f}, {:.4f}, {:.4f})", v[0], v[1], v[2]);
  };
  return Json::object(
      {{"images", result.summed_images},
       {"pixels", result.sums.pixels},
       {"mean", list(stats.mean)},
       {"std", list(stats.std)},
       {"normalize", fmt::format("Normalize({}, {})", text(stats.mean), text(stats.std))}});
}

Json speed_json(const ScanFindings& findings) {
  if (findings.speed == nullptr || findings.speed->samples == 0) {
    return {};
  }
  const scan::SpeedBlock& block = *findings.speed;
  const double rate = static_cast<double>(block.samples) / block.seconds;
  return Json::object({{"samples_per_s", rate},
                       {"threads", findings.threads},
                       {"transforms", findings.speed_transforms},
                       {"samples", block.samples},
                       {"skipped", block.skipped}});
}

}  // namespace

Json scan_json(const ScanFindings& findings) {
  const ScanResult& result = findings.result;
  Json json = Json::object(
      {{"schema", "stoker.data.scan/1"},
       {"path", findings.path},
       {"files", result.files},
       {"bytes", result.bytes},
       {"problems", Json::array()},
       {"formats", formats_json(result)},
       {"sizes", sizes_json(result)},
       {"progressive", result.progressive},
       {"cmyk", result.cmyk},
       {"grey", result.grey},
       {"native", result.native},
       {"pillow", result.pillow},
       {"pillow_reasons",
        counts_json("reason", {result.pillow_reasons.begin(), result.pillow_reasons.end()})},
       {"broken", files_json(result.broken)},
       {"unjudged", files_json(result.unjudged)},
       {"judge", findings.judge.empty() ? Json() : Json(findings.judge)},
       {"no_judge_reason",
        findings.no_judge_reason.empty() ? Json() : Json(findings.no_judge_reason)},
       {"duplicates", duplicates_json(findings.source, result)},
       {"classes", classes_json(findings.source, result)},
       {"pixels", pixels_json(result)},
       {"speed", speed_json(findings)},
       {"index", Json::object({{"found", result.indexed > 0}, {"files", result.indexed}})},
       {"warnings", Json::strings(findings.source.warnings())},
       {"threads", findings.threads},
       {"elapsed_ms", result.elapsed_ms}});
  json.set("problems", scan_problems(json));
  return json;
}

}  // namespace stoker::cli
