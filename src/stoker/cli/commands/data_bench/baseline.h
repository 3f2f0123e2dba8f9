// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "stoker/cli/python_script.h"

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
  // `transforms`: a JSON array of [name, {parameter: text}].
  static Result<std::unique_ptr<Baseline>> start(const std::string& folder,
                                                 const std::string& transforms, int workers);

  // "Pillow 12.0.0 + torchvision 0.24.0".
  std::string name() const { return script_->ready()["name"].text(); }
  Result<BaselineBlock> run_block(double seconds);

 private:
  explicit Baseline(std::unique_ptr<PythonScript> script) : script_(std::move(script)) {}
  std::unique_ptr<PythonScript> script_;
};

}  // namespace stoker::cli
