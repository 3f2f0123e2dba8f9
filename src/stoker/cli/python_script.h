// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/cli/line_process.h"
#include "stoker/core/json.h"

namespace stoker::cli {

// A script of the Python package that says in its first line of JSON that it is ready, and then
// answers each request with one. An answer with "error" is a failure. One thread.
class PythonScript {
 public:
  // Starts it and waits until it is ready; a failure says why there is none.
  static Result<std::unique_ptr<PythonScript>> start(const std::string& file,
                                                     const std::vector<std::string>& arguments);

  // The first line.
  const Json& ready() const { return ready_; }
  LineProcess& process() { return process_; }
  Result<Json> read_answer(int timeout_ms);

 private:
  explicit PythonScript(const std::vector<std::string>& argv) : process_(argv) {}
  LineProcess process_;
  Json ready_;
};

}  // namespace stoker::cli
