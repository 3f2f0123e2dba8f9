// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stoker/core/status.h"

namespace stoker {

// A JSON document as a value; members keep the order in which they were set. The heavy JSON header
// is behind json.cpp alone.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor)
  Json(bool value) : value_(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : value_(static_cast<int64_t>(value)) {}
  Json(double value) : value_(value) {}  // not finite: written as null
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)
  static Json object(Object members = {});
  static Json array(Array items = {}) { return {std::move(items)}; }
  static Json strings(const std::vector<std::string>& items);

  // Sets a member of an object (null becomes one); a second set of the same key replaces.
  Json& set(std::string_view key, Json value);
  // Appends to an array (null becomes one).
  Json& push(Json value);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  // The member, or null when there is none or this is no object.
  const Json& operator[](std::string_view key) const;
  const Array& items() const;     // empty when this is no array
  const Object& members() const;  // empty when this is no object
  // The value, or `fallback` when this holds another kind. A whole number is a number too.
  bool boolean(bool fallback = false) const;
  int64_t integer(int64_t fallback = 0) const;
  double number(double fallback = 0) const;
  std::string text(std::string_view fallback = {}) const;

  // One line when `indent` is negative. Bytes that are not UTF-8 become U+FFFD.
  std::string dump(int indent = 2) const;
  static Result<Json> parse(std::string_view text);

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
  friend struct JsonAccess;
};

}  // namespace stoker
