// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stoker/core/error.h"

namespace stoker {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string range_text(const Param& param) {
  if (param.min && param.max) {
    return fmt::format(" from {:g} to {:g}", *param.min, *param.max);
  }
  if (param.min) {
    return fmt::format(" of at least {:g}", *param.min);
  }
  if (param.max) {
    return fmt::format(" of at most {:g}", *param.max);
  }
  return "";
}

std::string expected_text(const Param& param) {
  if (!param.choices.empty()) {
    return fmt::format("one of {}", fmt::join(param.choices, ", "));
  }
  switch (param.kind) {
    case ParamKind::Flag:
      return "true or false";
    case ParamKind::Int:
      return "a whole number" + range_text(param);
    case ParamKind::Float:
      return "a number" + range_text(param);
    case ParamKind::Text:
      return "a text";
    case ParamKind::List:
      return "names separated by commas";
    case ParamKind::Numbers:
      return "numbers separated by commas, each" + range_text(param);
    case ParamKind::Size:
      return "WIDTHxHEIGHT, such as 500x375, each" + range_text(param);
  }
  return "";
}

bool in_range(const Param& param, double value) {
  return std::isfinite(value) && (!param.min || value >= *param.min) &&
         (!param.max || value <= *param.max);
}

std::optional<ParamValue> parse_size(const Param& param, std::string_view text) {
  const size_t x = text.find('x');
  if (x == std::string_view::npos) {
    return std::nullopt;
  }
  const auto width = parse_number<int32_t>(text.substr(0, x));
  const auto height = parse_number<int32_t>(text.substr(x + 1));
  if (!width || !height || !in_range(param, *width) || !in_range(param, *height)) {
    return std::nullopt;
  }
  return SizeValue{*width, *height};
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) {
      items.emplace_back(text.substr(0, comma));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

std::optional<ParamValue> parse_numbers(const Param& param, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& item : split_list(text)) {
    const auto value = parse_number<double>(item);
    if (!value || !in_range(param, *value)) {
      return std::nullopt;
    }
    numbers.push_back(*value);
  }
  return numbers;
}

std::optional<ParamValue> parse_value(const Param& param, std::string_view text) {
  switch (param.kind) {
    case ParamKind::Flag:
      if (text == "true" || text == "false") {
        return text == "true";
      }
      return std::nullopt;
    case ParamKind::Int: {
      const auto value = parse_number<int64_t>(text);
      return value && in_range(param, static_cast<double>(*value))
                 ? std::optional<ParamValue>(*value)
                 : std::nullopt;
    }
    case ParamKind::Float: {
      const auto value = parse_number<double>(text);
      return value && in_range(param, *value) ? std::optional<ParamValue>(*value) : std::nullopt;
    }
    case ParamKind::Text:
      return std::string(text);
    case ParamKind::List:
      return split_list(text);
    case ParamKind::Numbers:
      return parse_numbers(param, text);
    case ParamKind::Size:
      return parse_size(param, text);
  }
  return std::nullopt;
}

bool is_choice(const Param& param, const ParamValue& value) {
  const auto known = [&](const std::string& item) {
    return std::find(param.choices.begin(), param.choices.end(), item) != param.choices.end();
  };
  if (param.choices.empty()) {
    return true;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return known(*text);
  }
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
    return std::all_of(items->begin(), items->end(), known);
  }
  return true;
}

}  // namespace

const char* param_kind_name(ParamKind kind) {
  switch (kind) {
    case ParamKind::Flag:
      return "flag";
    case ParamKind::Int:
      return "int";
    case ParamKind::Float:
      return "float";
    case ParamKind::Text:
      return "text";
    case ParamKind::List:
      return "list";
    case ParamKind::Numbers:
      return "numbers";
    case ParamKind::Size:
      return "size";
  }
  return "";
}

Result<ParamValue> parse_param(const Param& param, std::string_view text) {
  const std::optional<ParamValue> value = parse_value(param, text);
  if (!value || !is_choice(param, *value)) {
    return Status(ErrorCode::InvalidArgument,
                  fmt::format("{}: got '{}', expected {}", param.name, text, expected_text(param)));
  }
  return *value;
}

template <class T>
const T& ParamMap::get(const std::string& name) const {
  static const T kNothing{};
  const auto found = values_.find(name);
  if (found == values_.end()) {
    if constexpr (std::is_same_v<T, bool>) {
      return kNothing;
    }
    throw Error(ErrorCode::Internal,
                fmt::format("parameter '{}' is read but not in its schema", name));
  }
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) {
    throw Error(ErrorCode::Internal, fmt::format("parameter '{}' is read as another kind", name));
  }
  return *value;
}

template const bool& ParamMap::get(const std::string&) const;
template const int64_t& ParamMap::get(const std::string&) const;
template const double& ParamMap::get(const std::string&) const;
template const std::string& ParamMap::get(const std::string&) const;
template const std::vector<std::string>& ParamMap::get(const std::string&) const;
template const std::vector<double>& ParamMap::get(const std::string&) const;
template const SizeValue& ParamMap::get(const std::string&) const;

Result<ParamMap> parse_params(const ParamSchema& schema,
                              const std::map<std::string, std::string>& given) {
  for (const auto& [name, text] : given) {
    const bool known = std::any_of(schema.begin(), schema.end(),
                                   [&, &key = name](const Param& p) { return p.name == key; });
    if (!known) {
      std::vector<std::string> names;
      for (const Param& param : schema) {
        names.push_back(param.name);
      }
      return Status(ErrorCode::InvalidArgument,
                    fmt::format("{}: no such parameter; known: {}", name, fmt::join(names, ", ")));
    }
  }
  ParamMap map;
  for (const Param& param : schema) {
    const auto found = given.find(param.name);
    const bool is_given = found != given.end();
    if (!is_given && param.required) {
      return Status(ErrorCode::InvalidArgument,
                    fmt::format("{}: not given, expected {}", param.name, expected_text(param)));
    }
    if (!is_given && param.fallback.empty()) {
      if (param.kind == ParamKind::Flag) {
        map.set(param.name, false);
      }
      continue;
    }
    Result<ParamValue> value = parse_param(param, is_given ? found->second : param.fallback);
    if (!value.ok()) {
      return value.status();
    }
    map.set(param.name, std::move(*value));
  }
  return map;
}

}  // namespace stoker
