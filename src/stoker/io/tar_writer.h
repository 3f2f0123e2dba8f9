// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::io {

// Puts files together to a tar archive in memory: ustar, with pax headers for names of 100 bytes
// and more. Owner, time and mode are fixed, so that the same files give the same bytes. One thread.
class TarWriter {
 public:
  // TooLarge: no name or one beyond 64 KiB, or a size of 8 GiB and more.
  Status add(const std::string& name, std::span<const uint8_t> bytes);
  // Swaps what there is of the archive with `part`, whose memory goes on to be used; what is added
  // after that comes behind it. For archives that do not fit in memory.
  void take(std::vector<uint8_t>& part);
  // Ends the archive and gives out what was not taken; the writer is empty afterwards.
  std::vector<uint8_t> finish();

 private:
  void append(const std::string& name, char type, std::span<const uint8_t> bytes);

  std::vector<uint8_t> archive_;
};

}  // namespace stoker::io
