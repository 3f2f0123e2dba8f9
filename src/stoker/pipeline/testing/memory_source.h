// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "stoker/io/source.h"

namespace stoker::pipeline {

// Files in memory, for tests. An empty one stands for a file that cannot be read.
class MemorySource : public io::Source {
 public:
  explicit MemorySource(std::vector<std::vector<uint8_t>> files, int64_t read_us = 0)
      : files_(std::move(files)), read_us_(read_us) {}
  int64_t count() const override { return static_cast<int64_t>(files_.size()); }
  int64_t label(int64_t sample) const override { return sample * 10; }
  std::string name(int64_t sample) const override { return fmt::format("file-{}", sample); }
  Status read(int64_t sample, std::vector<uint8_t>& bytes) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(read_us_));
    bytes = files_[static_cast<size_t>(sample)];
    return bytes.empty() ? Status(ErrorCode::IoError, "no such file") : Status();
  }
  Status read_index(int64_t /*sample*/, std::vector<uint8_t>& entry) const override {
    entry.clear();
    return {};
  }
  const std::vector<std::string>& classes() const override { return classes_; }
  uint64_t fingerprint() const override { return files_.size(); }

 private:
  std::vector<std::vector<uint8_t>> files_;
  int64_t read_us_;
  std::vector<std::string> classes_;
};

}  // namespace stoker::pipeline
