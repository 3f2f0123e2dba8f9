// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/scan/image_format.h"
#include "stoker/scan/reference.h"

namespace stoker::scan {

struct ScanOptions {
  int threads = 1;
  int64_t pixel_images = 1000;  // so many, evenly spread, count for mean and std; 0: none
  MakeReference make_reference;
};

// A file that needs a word.
struct NamedFile {
  int64_t sample = 0;
  std::string name, reason;
};

// The same bytes under several names, in the source's order.
struct DuplicateGroup {
  int64_t bytes = 0;  // of one of them
  std::vector<int64_t> samples;
};

struct ScanResult {
  int64_t files = 0, bytes = 0;
  std::array<int64_t, kImageFormats> formats{};  // of the files that can be read
  int64_t progressive = 0, cmyk = 0, grey = 0, indexed = 0;
  int64_t native = 0, pillow = 0;
  std::map<std::string, int64_t> pillow_reasons;  // why the engine left them
  std::vector<NamedFile> broken, unjudged;        // in the source's order
  std::vector<int32_t> widths, heights;           // where they are known, in no order
  std::vector<DuplicateGroup> duplicates;         // in the order of their first samples
  std::map<int64_t, int64_t> files_of_label;      // classes without a file too
  int64_t summed_images = 0;
  PixelSums sums;
  double elapsed_ms = 0;
};

// Called from any thread, one call at a time.
using ScanProgress = std::function<void(int64_t done, int64_t total)>;

// Reads and decodes every file of a source, from several threads; the result does not depend on
// their number. About 32 bytes of memory a file.
ScanResult scan(const io::Source& source, const ScanOptions& options,
                const ScanProgress& progress = {});

// Mean and standard deviation by channel, as ToTensor gives values: 0 to 1. Requires: a pixel.
struct PixelStats {
  std::array<double, 3> mean{}, std{};
};
PixelStats pixel_stats(const PixelSums& sums);

}  // namespace stoker::scan
