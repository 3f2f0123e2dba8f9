// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace stoker::cli {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr int kSignalBase = 128;

// Read by the signal handler.
std::atomic<pid_t> the_child{0};
std::atomic<bool> leads_session{false};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  const pid_t child = the_child.load();
  // What the terminal sends goes to the whole process group, the command included; but a hang-up
  // goes to the session's leader alone. What the command itself sends here (`kill 0` in a shell
  // script) it has had as well.
  const bool has_had_it =
      info->si_code > 0 ? signal != SIGHUP || !leads_session : info->si_pid == child;
  if (child > 0 && !has_had_it) {
    const int saved = errno;
    kill(child, signal);
    errno = saved;
  }
}

std::vector<int> passed_signals() {
  std::vector<int> signals = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGUSR1, SIGUSR2,
                              SIGALRM, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGWINCH};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    signals.push_back(signal);
  }
  return signals;
}

// By which the system ends a process whose write failed.
constexpr std::array<int, 2> kWriteSignals = {SIGPIPE, SIGXFSZ};
std::array<struct sigaction, kWriteSignals.size()> write_actions_before;
bool write_signals_taken = false;

void restore_write_signals() {
  for (size_t i = 0; write_signals_taken && i < kWriteSignals.size(); ++i) {
    sigaction(kWriteSignals[i], &write_actions_before[i], nullptr);
  }
}

// While it lives, signals go on to the child. A signal that is ignored stays so, for both.
class Forwarding {
 public:
  Forwarding() {
    for (const int signal : passed_signals()) {
      Old old{.signal = signal, .action = {}};
      sigaction(signal, nullptr, &old.action);
      if (old.action.sa_handler == SIG_IGN) {
        continue;
      }
      struct sigaction action{};
      action.sa_sigaction = pass_on;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      sigfillset(&action.sa_mask);
      sigaction(signal, &action, nullptr);
      old_.push_back(old);
    }
    // An inherited "ignore" would make waitpid() lose the status.
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    Old child{.signal = SIGCHLD, .action = {}};
    sigaction(SIGCHLD, &plain, &child.action);
    old_.push_back(child);
  }
  ~Forwarding() { restore(); }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  void restore() const {
    for (const Old& old : old_) {
      sigaction(old.signal, &old.action, nullptr);
    }
  }

 private:
  struct Old {
    int signal;
    struct sigaction action;
  };
  std::vector<Old> old_;
};

std::vector<char*> c_array(const std::vector<std::string>& argv) {
  std::vector<char*> out;
  out.reserve(argv.size() + 1);
  for (const std::string& word : argv) {
    out.push_back(const_cast<char*>(word.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

int status_of_exec_error(int error) {
  return error == ENOENT ? kNotFound : kNotExecutable;
}

[[noreturn]] void child_main(const ChildSpec& spec, pid_t parent, int report_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(kSignalBase + SIGKILL);
  }
  for (const auto& [name, value] : spec.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> argv = c_array(spec.argv);
  execvp(argv[0], argv.data());
  const int error = errno;
  // The parent sees an end of file when this does not arrive, and the exit status in any case.
  if (write(report_fd, &error, sizeof error) != sizeof error) {
    _exit(kNotExecutable);
  }
  _exit(status_of_exec_error(error));
}

int read_exec_error(int fd) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(fd, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  close(fd);
  return got == sizeof error ? error : 0;
}

ChildEnd wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return {.exit_status = 1};
    }
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {.exit_status = kSignalBase + signal, .signal = signal};
  }
  return {.exit_status = WEXITSTATUS(status)};
}

}  // namespace

void take_write_errors() {
  if (write_signals_taken) {
    return;
  }
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  for (size_t i = 0; i < kWriteSignals.size(); ++i) {
    sigaction(kWriteSignals[i], &ignore, &write_actions_before[i]);
  }
  write_signals_taken = true;
}

ChildEnd run_child(const ChildSpec& spec) {
  std::array<int, 2> pipe_fds{-1, -1};
  if (pipe2(pipe_fds.data(), O_CLOEXEC) != 0) {
    return {.exit_status = become(spec.argv), .exec_error = errno};
  }
  const pid_t parent = getpid();
  // Held back until the handler knows whom to send them to, and the child has its own handlers.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const Forwarding forwarding;
  const pid_t child = fork();
  if (child == 0) {
    forwarding.restore();
    restore_write_signals();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    child_main(spec, parent, pipe_fds[1]);
  }
  if (child < 0) {
    // No process can be had for watching, so the command takes this one.
    forwarding.restore();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return {.exit_status = become(spec.argv), .exec_error = errno};
  }
  the_child = child;
  leads_session = getsid(0) == parent;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(pipe_fds[1]);
  const int exec_error = read_exec_error(pipe_fds[0]);
  ChildEnd end = wait_for(child);
  the_child = 0;
  end.exec_error = exec_error;
  return end;
}

int become(const std::vector<std::string>& argv) {
  restore_write_signals();
  std::vector<char*> words = c_array(argv);
  execvp(words[0], words.data());
  return status_of_exec_error(errno);
}

std::string exec_message(const std::string& program, int error) {
  const bool in_path = error == ENOENT && program.find('/') == std::string::npos;
  return in_path ? fmt::format("{}: command not found", program)
                 : fmt::format("{}: {}", program, std::strerror(error));
}

int die_by(int signal) {
  const struct rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  return kSignalBase + signal;
}

}  // namespace stoker::cli
