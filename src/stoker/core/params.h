// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stoker/core/status.h"

namespace stoker {

enum class ParamKind : uint8_t {
  Flag,     // true when named, false otherwise
  Int,      // 64-bit whole number
  Float,    // finite number
  Text,     // any text
  List,     // texts separated by commas
  Numbers,  // finite numbers separated by commas
  Size,     // WIDTHxHEIGHT in pixels
};

struct SizeValue {
  int32_t width = 0;
  int32_t height = 0;
  bool operator==(const SizeValue&) const = default;
};

using ParamValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>,
                                std::vector<double>, SizeValue>;

// One documented parameter of a plug-in or a command. Command line, Python and reference pages are
// made from it.
struct Param {
  std::string name;  // snake_case; the command line shows --snake-case
  ParamKind kind = ParamKind::Text;
  std::string help;
  std::string value_name = {};  // "N", "DIR": how help names the value
  std::string fallback = {};    // value when not given, as text; empty: none
  std::vector<std::string> choices = {};
  bool required = false;
  std::optional<double> min = {};  // for Int, Float, each of Numbers, both sides of Size
  std::optional<double> max = {};
};

using ParamSchema = std::vector<Param>;

// "int", "flag", ...
const char* param_kind_name(ParamKind kind);

// Text to value. The message of a failure says what was given, what is expected and what to do.
Result<ParamValue> parse_param(const Param& param, std::string_view text);

// Values by name. A getter throws Error (Internal) when the name is not there or has another kind:
// has() says whether it is there.
class ParamMap {
 public:
  void set(const std::string& name, ParamValue value) { values_[name] = std::move(value); }
  bool has(const std::string& name) const { return values_.contains(name); }
  const std::map<std::string, ParamValue>& values() const { return values_; }

  bool flag(const std::string& name) const { return get<bool>(name); }  // false when not given
  int64_t integer(const std::string& name) const { return get<int64_t>(name); }
  double number(const std::string& name) const { return get<double>(name); }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }
  const std::vector<std::string>& list(const std::string& name) const {
    return get<std::vector<std::string>>(name);
  }
  const std::vector<double>& numbers(const std::string& name) const {
    return get<std::vector<double>>(name);
  }
  SizeValue size(const std::string& name) const { return get<SizeValue>(name); }
  // The text, or "" when not given.
  std::string text_or_empty(const std::string& name) const { return has(name) ? text(name) : ""; }

 private:
  template <class T>
  const T& get(const std::string& name) const;
  std::map<std::string, ParamValue> values_;
};

// Checks given texts against a schema and fills in the fallbacks; flags that are not given become
// false. Fails on the first unknown name, bad value or missing required parameter.
Result<ParamMap> parse_params(const ParamSchema& schema,
                              const std::map<std::string, std::string>& given);

}  // namespace stoker
