// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "stoker/cli/commands/data_bench/line_process.h"

namespace stoker::cli {

struct BaselineBlock {
  int64_t samples = 0;
  double seconds = 0;
};

// The same work by Pillow and torchvision, in `workers` processes of one thread each, block by
// block. One thread.
class Baseline {
 public:
  // Starts Python and waits until it is ready; a failure says why there is no baseline.
  static Result<std::unique_ptr<Baseline>> start(const std::string& folder, int32_t size,
                                                 int workers);

  // "Pillow 12.0.0 + torchvision 0.24.0".
  const std::string& name() const { return name_; }
  Result<BaselineBlock> run_block(double seconds);

 private:
  Baseline(std::unique_ptr<LineProcess> process, std::string name)
      : process_(std::move(process)), name_(std::move(name)) {}
  std::unique_ptr<LineProcess> process_;
  std::string name_;
};

}  // namespace stoker::cli
