// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_json.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace stoker::telemetry {
namespace {

constexpr double kNsPerMs = 1e6;

// Six digits are more than any of these times is worth.
Json number(double value) {
  return {std::isfinite(value) ? std::round(value * 1e6) / 1e6 : value};
}

Json number_or_null(const std::optional<double>& value) {
  return value ? number(*value) : Json();
}

Json ranks_json(const RunReport& report) {
  Json rows = Json::array();
  for (const RankRow& row : report.ranks) {
    rows.push(Json::object({{"rank", row.rank},
                            {"pid", row.pid},
                            {"steps", row.steps},
                            {"step_median_ms", number(row.step_median_ms)},
                            {"data_wait_share", number(row.data_wait_share)}}));
  }
  return rows;
}

Json levers_json(const RunReport& report) {
  Json rows = Json::array();
  for (const Lever& lever : report.levers) {
    Json row =
        Json::object({{"id", lever.id}, {"class", lever.change_class}, {"applied", lever.applied}});
    if (report.context.dry_run) {
      row.set("planned", lever.planned);
    }
    if (!lever.ranks.empty()) {
      row.set("ranks", Json(Json::Array(lever.ranks.begin(), lever.ranks.end())));
    }
    row.set("reason", lever.reason).set("detail", lever.detail);
    rows.push(std::move(row));
  }
  return rows;
}

Json steps_json(const RunReport& report) {
  const bool counted = report.steps > report.warmup;
  const auto known = [&](double value) { return counted ? number(value) : Json(); };
  return Json::object({{"count", report.steps},
                       {"warmup", report.warmup},
                       {"clock", report.steps_on_device ? "device" : "host"},
                       {"step_ms", Json::object({{"median", known(report.step_median_ms)},
                                                 {"p10", known(report.step_p10_ms)},
                                                 {"p90", known(report.step_p90_ms)},
                                                 {"p99", known(report.step_p99_ms)}})},
                       {"samples_per_s", known(report.samples_per_s)}});
}

Json phases_json(const RunReport& report) {
  Json rows = Json::array();
  for (const PhaseRow& row : report.phases) {
    rows.push(Json::object({{"name", row.name},
                            {"clock", row.clock},
                            {"median_ms", number_or_null(row.median_ms)},
                            {"mean_ms", number_or_null(row.mean_ms)},
                            {"share", number_or_null(row.share)}}));
  }
  return rows;
}

Json verdict_json(const Verdict& verdict) {
  Json evidence = Json::array();
  for (const Evidence& item : verdict.evidence) {
    evidence.push(
        Json::object({{"what", item.what}, {"value", number(item.value)}, {"unit", item.unit}}));
  }
  Json fixes = Json::array();
  for (const Fix& fix : verdict.fixes) {
    const Estimate& gain = fix.predicted_gain;
    fixes.push(Json::object({{"id", fix.id},
                             {"class", fix.change_class},
                             {"predicted_gain", Json::array({number(gain.low), number(gain.value),
                                                             number(gain.high)})}}));
  }
  return Json::object({{"kind", verdict.kind},
                       {"sentence", verdict.sentence},
                       {"evidence", evidence},
                       {"fixes", fixes}});
}

Json loader_json(const RunReport& report) {
  Json stages = Json::array();
  for (const StageRow& row : report.stages) {
    stages.push(
        Json::object({{"name", row.name}, {"share", number(row.share)}, {"ms", number(row.ms)}}));
  }
  return Json::object(
      {{"stages", stages},
       {"workers", report.worker_processes},
       {"batches", report.loader.batches},
       {"images", Json::object({{"native", report.counter(Counter::ImagesNative)},
                                {"compared", report.counter(Counter::ImagesCompared)},
                                {"differ", report.counter(Counter::ImagesDiffer)},
                                {"pillow", report.counter(Counter::ImagesPillow)},
                                {"bytes_differ", report.counter(Counter::BytesDiffer)}})}});
}

Json pauses_json(const RunReport& report) {
  Json rows = Json::array();
  for (const PauseRecord& pause : report.pauses) {
    rows.push(Json::object(
        {{"kind", pause.kind()},
         {"ms", number(static_cast<double>(pause.length_ns) / kNsPerMs)},
         {"worker_start_ms", number(static_cast<double>(pause.worker_start_ns) / kNsPerMs)},
         {"lever_work_ms", number(static_cast<double>(pause.lever_work_ns) / kNsPerMs)},
         {"batches", pause.batches}}));
  }
  return rows;
}

Json errors_json(const RunReport& report) {
  Json rows = Json::array();
  for (const Fault& fault : report.errors) {
    rows.push(
        Json::object({{"where", fault.where}, {"error", fault.error}, {"count", fault.count}}));
  }
  return rows;
}

}  // namespace

std::string utc_text(int64_t wall_ns) {
  const time_t seconds = wall_ns / 1'000'000'000;
  tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     wall_ns / 1'000'000 % 1000);
}

Json run_json(const RunReport& report) {
  const RunContext& context = report.context;
  return Json::object(
      {{"schema", "stoker.run/1"},
       {"command", Json::strings(context.command)},
       {"exit_status", context.exit_status},
       {"signal", context.signal == 0 ? Json() : Json(context.signal)},
       {"started", utc_text(context.started_wall_ns)},
       {"ended", utc_text(context.ended_wall_ns)},
       {"duration_ms", number(report.duration_ms())},
       {"allow", Json::strings(context.allow)},
       {"dry_run", context.dry_run},
       {"attached", report.attached},
       {"machine", machine_json(context.machine)},
       {"ranks", ranks_json(report)},
       {"levers", levers_json(report)},
       {"steps", steps_json(report)},
       {"phases", phases_json(report)},
       {"exposed_stall_share", number_or_null(report.exposed_stall_share)},
       {"overhead_us_per_step", number_or_null(report.overhead_us_per_step)},
       {"loader", loader_json(report)},
       {"pauses", pauses_json(report)},
       {"pauses_total", Json::object({{"count", report.pause_count},
                                      {"ms", number(report.pause_ms)},
                                      {"worker_start_ms", number(report.pause_worker_start_ms)},
                                      {"lever_work_ms", number(report.pause_lever_work_ms)}})},
       {"verdict", verdict_json(report.verdict)},
       {"errors", errors_json(report)}});
}

}  // namespace stoker::telemetry
