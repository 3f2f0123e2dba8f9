// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "stoker/core/status.h"

namespace stoker::cli {

// Where one run leaves its files.
struct RunFolder {
  std::string path;   // absolute
  std::string shown;  // as a person would write it
  std::string note;   // why it is not where it was expected, or ""
};

struct FolderOptions {
  std::string out = {};  // --out, or ""
  std::string base = "stoker-runs";
  int64_t smallest_free_bytes = 8 << 20;  // less counts as a full disk
};

// Makes DIR of --out, else BASE/<time>-<suffix>, else (read-only, full) a folder below TMPDIR.
// Fails when none can be made. Throws Error when --out names a folder that holds something else.
Result<RunFolder> make_run_folder(const FolderOptions& options);

// Deletes the oldest run folders of `base` until `keep` are left. Only folders that stoker made,
// whose run has ended, and never `current`.
void drop_old_runs(const std::string& base, int64_t keep, const std::string& current);

}  // namespace stoker::cli
