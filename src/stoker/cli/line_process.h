// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::cli {

// A child process that is talked to line by line through its stdin and stdout; its stderr is
// dropped. The end of this object closes its stdin, and kills it should it not end by itself in two
// seconds. One thread.
class LineProcess {
 public:
  // Throws Error (IoError) when the system has no process or pipe left.
  explicit LineProcess(const std::vector<std::string>& argv);
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  Status write_line(const std::string& line);
  // Blocks until the child has taken all of them.
  Status write(std::span<const uint8_t> bytes);
  // Blocks until a whole line is there, the child ends or the time is over.
  Result<std::string> read_line(int timeout_ms);

 private:
  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string pending_;
};

}  // namespace stoker::cli
