// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"

extern char** environ;

namespace stoker::cli {
namespace {

Error system_error(const std::string& what, int error) {
  return {ErrorCode::IoError, what + ": " + std::generic_category().message(error)};
}

}  // namespace

LineProcess::LineProcess(const std::vector<std::string>& argv) {
  // Sockets, because MSG_NOSIGNAL spares a handler for SIGPIPE.
  int in[2];
  int out[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) {
    throw system_error("cannot make a pipe", errno);
  }
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out) != 0) {
    const int error = errno;
    ::close(in[0]);
    ::close(in[1]);
    throw system_error("cannot make a pipe", error);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: the C interface changes nothing
  }
  words.push_back(nullptr);
  const int failed = ::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  if (failed != 0) {
    ::close(to_child_);
    ::close(from_child_);
    throw system_error("cannot start '" + argv[0] + "'", failed);
  }
}

LineProcess::~LineProcess() {
  ::close(to_child_);
  ::close(from_child_);
  for (int i = 0; i < 200; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Status LineProcess::write_line(const std::string& line) {
  const std::string text = line + "\n";
  return write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Status LineProcess::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to_child_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return {ErrorCode::IoError, "the process has ended"};
    }
    bytes = bytes.subspan(static_cast<size_t>(sent));
  }
  return {};
}

Result<std::string> LineProcess::read_line(int timeout_ms) {
  const int64_t deadline_ns = now_ns() + int64_t{timeout_ms} * 1'000'000;
  while (true) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    const auto left_ms = static_cast<int>((deadline_ns - now_ns()) / 1'000'000);
    pollfd wait{.fd = from_child_, .events = POLLIN, .revents = 0};
    const int ready = left_ms > 0 ? ::poll(&wait, 1, left_ms) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      return Status(ErrorCode::IoError, "the process gave no answer in time");
    }
    char bytes[65536];
    const ssize_t count = ::recv(from_child_, bytes, sizeof(bytes), 0);
    if (count <= 0) {
      return Status(ErrorCode::IoError, "the process has ended without an answer");
    }
    pending_.append(bytes, static_cast<size_t>(count));
  }
}

}  // namespace stoker::cli
