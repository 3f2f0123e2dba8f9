// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/shard_end.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "stoker/core/error.h"
#include "stoker/core/json.h"
#include "stoker/io/file.h"

namespace stoker::pack {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kJsonBytes = 1024;
constexpr size_t kEndMarkBytes = 1024;
constexpr size_t kSizeBytes = 4;  // of an entry's size

uint64_t padded(uint64_t size) {
  return (size + kBlock - 1) / kBlock * kBlock;
}

Json json_of(const CountByReason& counts) {
  Json out = Json::object();
  for (const auto& [reason, count] : counts.sorted()) {
    out.set(reason, count);
  }
  return out;
}

CountByReason counts_of(const Json& json) {
  CountByReason counts;
  for (const auto& [reason, count] : json.members()) {
    counts.add(reason, count.integer());
  }
  return counts;
}

std::string json_text(const ShardEnd& end) {
  std::string text = Json::object({{"plan", fmt::format("{:016x}", end.plan)},
                                   {"shard", end.shard},
                                   {"samples", end.samples},
                                   {"shard_bytes", end.shard_bytes},
                                   {"index_offset", end.index_offset},
                                   {"index_bytes", end.index_bytes},
                                   {"converted", json_of(end.converted)},
                                   {"not_converted", json_of(end.not_converted)}})
                         .dump(-1);
  if (text.size() > kJsonBytes) {
    throw Error(ErrorCode::Internal, "the end of a shard does not fit in its place");
  }
  text.resize(kJsonBytes, ' ');
  return text;
}

std::vector<uint8_t> index_member(const std::vector<std::vector<uint8_t>>& entries) {
  std::vector<uint8_t> out;
  for (const std::vector<uint8_t>& entry : entries) {
    for (size_t i = 0; i < kSizeBytes; ++i) {
      out.push_back(static_cast<uint8_t>(entry.size() >> (8 * i)));
    }
  }
  for (const std::vector<uint8_t>& entry : entries) {
    out.insert(out.end(), entry.begin(), entry.end());
  }
  return out;
}

void require(const Status& status) {
  if (!status.ok()) {
    throw Error(ErrorCode::Internal, status.message());
  }
}

Status damaged(const std::string& path, std::string_view what) {
  return {ErrorCode::Corrupt,
          fmt::format("'{}' is no whole shard of a packed set: {}", path, what)};
}

}  // namespace

std::vector<uint8_t> finish_shard(io::TarWriter& tar, uint64_t written_bytes,
                                  const std::vector<std::vector<uint8_t>>& entries, ShardEnd& end) {
  const std::vector<uint8_t> index = index_member(entries);
  end.samples = static_cast<int64_t>(entries.size());
  end.index_offset = written_bytes + kBlock;
  end.index_bytes = index.size();
  end.shard_bytes = end.index_offset + padded(index.size()) + kBlock + kJsonBytes + kEndMarkBytes;
  require(tar.add(".stoker-index", index));
  const std::string text = json_text(end);
  require(tar.add(".stoker-shard", std::vector<uint8_t>(text.begin(), text.end())));
  return tar.finish();
}

Result<ShardEnd> read_shard_end(const std::string& path) {
  const io::FileHandle file = io::open_to_read(path.c_str());
  io::Stamp stamp;
  if (!file.is_open() || !io::stamp_of(file.get(), stamp)) {
    return io::system_status("cannot read", path, errno);
  }
  if (stamp.size_bytes < kJsonBytes + kEndMarkBytes) {
    return damaged(path, "it is too short");
  }
  std::vector<uint8_t> bytes(kJsonBytes);
  const uint64_t offset = stamp.size_bytes - kEndMarkBytes - kJsonBytes;
  if (Status status = io::read_exactly(file.get(), offset, bytes, path); !status.ok()) {
    return status;
  }
  const Result<Json> json = Json::parse(std::string(bytes.begin(), bytes.end()));
  if (!json.ok()) {
    return damaged(path, "its last member is missing");
  }
  ShardEnd end;
  const std::string plan = (*json)["plan"].text();
  std::from_chars(plan.data(), plan.data() + plan.size(), end.plan, 16);
  end.shard = (*json)["shard"].integer();
  end.samples = (*json)["samples"].integer();
  end.shard_bytes = static_cast<uint64_t>((*json)["shard_bytes"].integer());
  end.index_offset = static_cast<uint64_t>((*json)["index_offset"].integer());
  end.index_bytes = static_cast<uint64_t>((*json)["index_bytes"].integer());
  end.converted = counts_of((*json)["converted"]);
  end.not_converted = counts_of((*json)["not_converted"]);
  if (end.shard_bytes != stamp.size_bytes) {
    return damaged(path, fmt::format("it has {} bytes, not {}", stamp.size_bytes, end.shard_bytes));
  }
  return end;
}

Result<std::vector<std::vector<uint8_t>>> read_shard_index(const std::string& path,
                                                           const ShardEnd& end) {
  const auto samples = static_cast<uint64_t>(end.samples);
  if (end.samples < 0 || end.index_bytes > end.shard_bytes ||
      end.index_offset > end.shard_bytes - end.index_bytes ||
      samples > end.index_bytes / kSizeBytes) {
    return damaged(path, "its index lies outside");
  }
  const io::FileHandle file = io::open_to_read(path.c_str());
  if (!file.is_open()) {
    return io::system_status("cannot read", path, errno);
  }
  std::vector<uint8_t> bytes(end.index_bytes);
  if (Status status = io::read_exactly(file.get(), end.index_offset, bytes, path); !status.ok()) {
    return status;
  }
  std::vector<std::vector<uint8_t>> entries(samples);
  size_t at = samples * kSizeBytes;
  for (size_t i = 0; i < entries.size(); ++i) {
    size_t size = 0;
    for (size_t byte = 0; byte < kSizeBytes; ++byte) {
      size |= size_t{bytes[i * kSizeBytes + byte]} << (8 * byte);
    }
    if (size > bytes.size() - at) {
      return damaged(path, "its index is cut off");
    }
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    entries[i].assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return entries;
}

}  // namespace stoker::pack
