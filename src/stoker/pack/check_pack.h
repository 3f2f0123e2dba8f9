// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/pack/progress.h"

namespace stoker::pack {

// What the comparison of packed samples with their originals found.
struct CheckReport {
  int64_t samples = 0;
  int64_t same_bytes = 0;     // nothing was changed, so nothing can differ
  int64_t same_pixels = 0;    // both were decoded, and every pixel is equal
  int64_t index_regions = 0;  // regions decoded by way of the index, and equal to the whole
  std::vector<std::string> differences;  // one a sample; the first ones
  int64_t different = 0;
};

struct CheckOptions {
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;  // see Interrupted
};

// Compares sample i of `packed` with sample `samples[i]` of `original`: label and every pixel, and
// where the index has something, a region that is decoded with it. Throws Interrupted.
CheckReport check_pack(const io::Source& original, const io::Source& packed,
                       const std::vector<int64_t>& samples, const CheckOptions& options,
                       const Progress& progress = {});

}  // namespace stoker::pack
