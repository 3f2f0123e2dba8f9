// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stoker {

// Why an operation on one item failed. Wrong set-up is an Error (error.h), not a Status.
enum class ErrorCode : uint8_t {
  Ok,               // no error
  InvalidArgument,  // the request does not fit the data, such as a region outside the image
  NotFound,         // no such file, id or entry
  IoError,          // the system refused to read or write; the message holds its reason
  Truncated,        // the data ends before the image does
  Corrupt,          // the data breaks the rules of its format
  Unsupported,      // valid, but left to another decoder
  TooLarge,         // over a stated limit, such as a decompression bomb
  Internal,         // a fault of stoker; please report it
};

std::string_view error_name(ErrorCode code) noexcept;

// Outcome of an operation that can fail on one item: a code and a message for people.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == ErrorCode::Ok; }
  ErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  // "corrupt: bad Huffman code", or "ok".
  std::string to_string() const;

 private:
  ErrorCode code_ = ErrorCode::Ok;
  std::string message_;
};

// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return value_.has_value(); }
  const Status& status() const noexcept { return status_; }
  // Requires: ok().
  T& value() { return *value_; }
  const T& value() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace stoker
