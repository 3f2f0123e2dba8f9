// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/pack_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "stoker/core/files.h"
#include "stoker/core/hash.h"

namespace stoker::pack {
namespace {

constexpr int64_t kFormat = 1;
constexpr int64_t kProbes = 256;
constexpr std::string_view kTar = ".tar";
constexpr size_t kLeastDigits = 6;

}  // namespace

int64_t PackPlan::end_sample(int64_t shard) const {
  return std::min(first_sample(shard) + images_per_shard, samples);
}

uint64_t PackPlan::hash() const {
  return hash_of(to_json().dump(-1));
}

Json PackPlan::to_json() const {
  return Json::object({{"format", kFormat},
                       {"fingerprint", fmt::format("{:016x}", fingerprint)},
                       {"samples", samples},
                       {"shard_bytes", shard_bytes},
                       {"images_per_shard", images_per_shard},
                       {"convert", convert},
                       {"columns", columns}});
}

Result<PackPlan> PackPlan::from_json(const Json& json) {
  PackPlan plan;
  const std::string hex = json["fingerprint"].text();
  const auto [end, error] =
      std::from_chars(hex.data(), hex.data() + hex.size(), plan.fingerprint, 16);
  plan.samples = json["samples"].integer();
  plan.shard_bytes = json["shard_bytes"].integer();
  plan.images_per_shard = json["images_per_shard"].integer();
  plan.convert = json["convert"].boolean();
  plan.columns = static_cast<int32_t>(json["columns"].integer());
  const bool whole = error == std::errc() && end == hex.data() + hex.size();
  if (json["format"].integer() != kFormat || !whole || plan.samples < 1 ||
      plan.images_per_shard < 1) {
    return Status(ErrorCode::Corrupt, "it is no plan of a packed set, or one of another version");
  }
  return plan;
}

std::string plan_path_in(const std::string& folder) {
  return folder + "/.stoker-pack";
}

Result<PackPlan> read_plan(const std::string& folder) {
  const std::string path = plan_path_in(folder);
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    return text.status();
  }
  const Result<Json> json = Json::parse(*text);
  Result<PackPlan> plan = json.ok() ? PackPlan::from_json(*json) : json.status();
  if (!plan.ok()) {
    return Status(ErrorCode::Corrupt, fmt::format("'{}': {}", path, plan.status().message()));
  }
  return plan;
}

std::string differences(const PackPlan& there, const PackPlan& asked) {
  std::string out;
  const auto add = [&](bool differs, const std::string& text) {
    if (differs) {
      out += (out.empty() ? "" : "; ") + text;
    }
  };
  add(there.fingerprint != asked.fingerprint || there.samples != asked.samples,
      fmt::format("it was made of other samples ({} there, {} now)", there.samples, asked.samples));
  add(there.convert != asked.convert,
      fmt::format("it was made {} --no-convert", there.convert ? "without" : "with"));
  add(there.columns != asked.columns,
      fmt::format("its index has a note every {} columns, not {}", there.columns, asked.columns));
  const bool same_size =
      there.shard_bytes == asked.shard_bytes &&
      (there.shard_bytes != 0 || there.images_per_shard == asked.images_per_shard);
  add(!same_size,
      there.shard_bytes != 0
          ? fmt::format("its shards were made with --shard-size {}", there.shard_bytes)
          : fmt::format("its shards were made with --images {}", there.images_per_shard));
  return out;
}

double mean_sample_bytes(const io::Source& source) {
  const int64_t probes = std::min(source.count(), kProbes);
  std::vector<uint8_t> bytes;
  double sum = 0;
  for (int64_t i = 0; i < probes; ++i) {
    if (source.read(i * source.count() / probes, bytes).ok()) {
      sum += static_cast<double>(bytes.size());
    }
  }
  return sum / static_cast<double>(probes);
}

std::string shard_name(int64_t shard) {
  return fmt::format("{:06}{}", shard, kTar);
}

int64_t shard_of_name(const std::string& name) {
  if (name.size() < kLeastDigits + kTar.size() || !name.ends_with(kTar)) {
    return -1;
  }
  int64_t shard = 0;
  const char* const end = name.data() + name.size() - kTar.size();
  const auto [behind, error] = std::from_chars(name.data(), end, shard);
  const bool whole = error == std::errc() && behind == end && shard >= 0;
  return whole && shard_name(shard) == name ? shard : -1;
}

}  // namespace stoker::pack
