// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/pack/count_by_reason.h"
#include "stoker/pack/progress.h"

namespace stoker::pack {

struct IndexOptions {
  std::string path;                               // any source of samples
  int32_t columns = codec::kDefaultIndexColumns;  // MCUs between two points of a row
  int threads = 1;
  bool force = false;                       // make entries anew that are up to date
  const std::atomic<bool>* stop = nullptr;  // see Interrupted
};

struct IndexReport {
  std::string index_path;
  int64_t samples = 0;
  int64_t made = 0;
  int64_t up_to_date = 0;
  CountByReason left_out;
  std::vector<std::string> warnings;  // of the source, and of files that cannot be read
  uint64_t index_bytes = 0;
  double elapsed_ms = 0;

  int64_t indexed() const { return made + up_to_date; }
};

// Makes the index of a source, or brings it up to date, and puts it where loaders look for it. The
// bytes do not depend on the number of threads. The old index stays in use until the new one
// replaces it as a whole; several processes may do this at once. Throws Error with a hint, and
// Interrupted.
IndexReport make_index(const IndexOptions& options, const Progress& progress = {});

// Is `entry` an index of these bytes with so many columns?
bool is_up_to_date(codec::Bytes entry, codec::Bytes file, int32_t columns);

// Why make_jpeg_index() refuses a file, in few words that are the same for many files.
std::string_view reason_left_out(codec::Bytes file);

}  // namespace stoker::pack
