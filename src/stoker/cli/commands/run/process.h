// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stoker::cli {

struct ChildSpec {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  // set on top of this process's
};

struct ChildEnd {
  int exit_status = 0;  // as a shell gives it: 126, 127, or 128 + signal
  int signal = 0;       // that ended it, or 0
  int exec_error = 0;   // errno when the program could not be started
};

// From now on a failed write of this process (to a pipe that nobody reads, or past the user's limit
// on file sizes) is an error and no longer a signal. Commands get those signals as they were.
void take_write_errors();

// Runs a command with this process's terminal, process group and open files, and waits for its
// end. Signals that others send to this process go on to the command; those of the terminal reach
// it anyway. The command dies with this process. One at a time.
ChildEnd run_child(const ChildSpec& spec);

// Becomes the command. Returns only when that fails, with the exit status for it.
int become(const std::vector<std::string>& argv);

// "train.sh: Permission denied" and the like.
std::string exec_message(const std::string& program, int error);

// Ends this process by `signal`, without a core, so that whoever waits sees what it would see of
// the command. Returns 128 + signal should the signal not end it.
int die_by(int signal);

}  // namespace stoker::cli
