// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/status.h"

namespace stoker {

std::string_view error_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::Ok:
      return "ok";
    case ErrorCode::InvalidArgument:
      return "invalid argument";
    case ErrorCode::NotFound:
      return "not found";
    case ErrorCode::IoError:
      return "i/o error";
    case ErrorCode::Truncated:
      return "truncated";
    case ErrorCode::Corrupt:
      return "corrupt";
    case ErrorCode::Unsupported:
      return "unsupported";
    case ErrorCode::TooLarge:
      return "too large";
    case ErrorCode::Internal:
      return "internal error";
  }
  return "unknown";
}

std::string Status::to_string() const {
  std::string text(error_name(code_));
  if (!message_.empty()) {
    text += ": " + message_;
  }
  return text;
}

}  // namespace stoker
