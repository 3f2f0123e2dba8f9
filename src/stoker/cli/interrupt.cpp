// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/interrupt.h"

#include <cstdlib>

namespace stoker::cli {
namespace {

constexpr int kSignalStatus = 128;

std::atomic<bool> asked{false};
std::atomic<int> last_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
  last_signal = number;
  asked = true;
}

}  // namespace

Interrupt::Interrupt() {
  asked = false;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  // A shell may have told us to ignore them: then they stay ignored.
  const auto watch = [&](int number, struct sigaction& old) {
    ::sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_IGN) {
      ::sigaction(number, &action, nullptr);
    }
  };
  watch(SIGINT, old_interrupt_);
  watch(SIGTERM, old_terminate_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

const std::atomic<bool>* Interrupt::flag() const {
  return &asked;
}

void Interrupt::die() {
  const int number = last_signal;
  ::signal(number, SIG_DFL);
  ::raise(number);
  std::_Exit(kSignalStatus + number);
}

}  // namespace stoker::cli
