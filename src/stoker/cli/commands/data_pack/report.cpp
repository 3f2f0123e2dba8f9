// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_pack/report.h"

#include <fmt/format.h>

namespace stoker::cli {
namespace {

Json json_of(const pack::CountByReason& counts) {
  Json out = Json::array();
  for (const auto& [reason, count] : counts.sorted()) {
    out.push(Json::object({{"reason", reason}, {"count", count}}));
  }
  return out;
}

Json json_of(const std::optional<pack::CheckReport>& check) {
  return !check ? Json()
                : Json::object({{"samples", check->samples},
                                {"same_bytes", check->same_bytes},
                                {"same_pixels", check->same_pixels},
                                {"index_regions", check->index_regions},
                                {"different", check->different},
                                {"differences", Json::strings(check->differences)}});
}

void print_check(const pack::CheckReport& check) {
  fmt::print("checked {} images: {} are the same bytes, {} have the same pixels, {} differ\n",
             check.samples, check.same_bytes, check.same_pixels, check.different);
  for (const std::string& difference : check.differences) {
    fmt::print("  {}\n", difference);
  }
  if (check.different > static_cast<int64_t>(check.differences.size())) {
    fmt::print("  and {} more\n", check.different - static_cast<int64_t>(check.differences.size()));
  }
}

}  // namespace

Json pack_json(const pack::PackOptions& options, const pack::PackReport& report) {
  return Json::object(
      {{"schema", "stoker.data.pack/1"},
       {"source", options.source},
       {"path", options.folder},
       {"samples", report.samples},
       {"shards", report.shards},
       {"images_per_shard", report.images_per_shard},
       {"part", fmt::format("{}/{}", options.part + 1, options.parts)},
       {"part_samples", report.part_samples},
       {"part_bytes", report.part_bytes},
       {"shards_made", report.shards_made},
       {"shards_kept", report.shards_kept},
       {"shards_missing", report.shards_missing},
       {"samples_made", report.samples_made},
       {"converted", json_of(report.converted)},
       {"not_converted", json_of(report.not_converted)},
       {"indexed", report.indexed},
       {"check", json_of(report.check)},
       {"warnings", Json::strings(report.warnings)},
       {"threads", options.threads},
       {"elapsed_ms", report.elapsed_ms},
       {"samples_per_s", static_cast<double>(report.samples_made) / report.elapsed_ms * 1e3}});
}

void print_pack(const pack::PackOptions& options, const pack::PackReport& report) {
  fmt::print("{} images in {} of {} shards in {} ({:.1f} MB, {:.1f} s)\n", report.part_samples,
             report.shards_made + report.shards_kept, report.shards, options.folder,
             static_cast<double>(report.part_bytes) / 1e6, report.elapsed_ms / 1e3);
  if (report.shards_kept > 0) {
    fmt::print("{} shards were there already\n", report.shards_kept);
  }
  if (report.converted.total() > 0) {
    fmt::print("made baseline without loss: {}\n", report.converted.text());
  }
  if (report.not_converted.total() > 0) {
    fmt::print("could not be made baseline, and are as they were: {}\n",
               report.not_converted.text());
  }
  if (report.shards_missing > 0) {
    fmt::print("{} shards of other parts are missing; the last part to end makes the index\n",
               report.shards_missing);
  } else {
    fmt::print("{} of {} images are in the index\n", report.indexed, report.samples);
  }
  if (report.check) {
    print_check(*report.check);
  }
}

}  // namespace stoker::cli
