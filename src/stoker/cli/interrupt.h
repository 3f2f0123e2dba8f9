// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace stoker::cli {

// While it lives, Ctrl-C and SIGTERM set a flag, so that long work can end and tidy up. A second
// Ctrl-C ends the process at once. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>* flag() const;
  // Ends the process by the signal that came, as if it had not been caught.
  [[noreturn]] static void die();

 private:
  struct sigaction old_interrupt_{};
  struct sigaction old_terminate_{};
};

}  // namespace stoker::cli
