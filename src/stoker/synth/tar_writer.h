// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::synth {

// Puts files together to a ustar archive in memory. Owner, time and mode are fixed, so that the
// same files give the same bytes. One thread.
class TarWriter {
 public:
  // `name` has at most 99 bytes; the size stays below 8 GiB.
  Status add(const std::string& name, std::span<const uint8_t> bytes);
  // Ends the archive and gives it out; the writer is empty afterwards.
  std::vector<uint8_t> finish();

 private:
  std::vector<uint8_t> archive_;
};

}  // namespace stoker::synth
