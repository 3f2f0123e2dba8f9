// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <set>

#include "stoker/core/error.h"
#include "stoker/core/files.h"

namespace stoker {
namespace {

std::string join_name(const std::string& outer, std::string_view inner) {
  return outer.empty() ? std::string(inner) : fmt::format("{}.{}", outer, inner);
}

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

Error at_line(const std::string& source, int line, const std::string& message,
              const std::string& hint) {
  return {ErrorCode::InvalidArgument, fmt::format("{}:{}: {}", source, line, message), hint};
}

}  // namespace

struct ConfigReader {
  Config& config;

  void add_table(const std::string& section, const toml::table& table) {
    for (const auto& [key, node] : table) {
      if (const toml::table* inner = node.as_table()) {
        add_table(join_name(section, key.str()), *inner);
      } else {
        config.entries_.push_back({section, std::string(key.str()),
                                   text_of(join_name(section, key.str()), node), line_of(node)});
      }
    }
  }

  std::string text_of(const std::string& name, const toml::node& node) const {
    if (const toml::array* array = node.as_array()) {
      std::string items;
      for (const toml::node& item : *array) {
        items += items.empty() ? "" : ",";
        items += text_of(name, item);
      }
      return items;
    }
    if (const auto* text = node.as_string()) {
      return text->get();
    }
    if (const auto* whole = node.as_integer()) {
      return fmt::format("{}", whole->get());
    }
    if (const auto* number = node.as_floating_point()) {
      return fmt::format("{}", number->get());
    }
    if (const auto* truth = node.as_boolean()) {
      return truth->get() ? "true" : "false";
    }
    throw at_line(config.source_, line_of(node),
                  fmt::format("{}: a date, a time or a table in a list cannot be used here", name),
                  "write a text, a number, true or false, or a list of these");
  }
};

Config Config::parse(std::string_view toml, const std::string& source) {
  Config config;
  config.source_ = source;
  try {
    ConfigReader{config}.add_table("", toml::parse(toml, source));
  } catch (const toml::parse_error& error) {
    throw at_line(source, static_cast<int>(error.source().begin.line),
                  std::string(error.description()), "the file must be valid TOML, see toml.io");
  }
  return config;
}

Config Config::read(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    throw Error(text.status().code(), text.status().message(), "give a TOML file that exists");
  }
  return parse(*text, path);
}

ParamMap Config::section(const std::string& name, const ParamSchema& schema) const {
  std::map<std::string, std::string> given;
  for (const Entry& entry : entries_) {
    if (entry.section != name) {
      continue;
    }
    given[entry.name] = entry.text;
    // Alone first, so that a message can name the line.
    ParamSchema optional = schema;
    for (Param& param : optional) {
      param.required = false;
    }
    const Result<ParamMap> checked = parse_params(optional, {{entry.name, entry.text}});
    if (!checked.ok()) {
      throw at_line(source_, entry.line, join_name(name, checked.status().message()),
                    "correct or remove this line");
    }
  }
  Result<ParamMap> values = parse_params(schema, given);
  if (!values.ok()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}: {}", source_, join_name(name, values.status().message())),
                name.empty() ? "add it at the top of the file"
                             : fmt::format("add it to the section [{}]", name));
  }
  return *values;
}

std::vector<std::string> Config::section_names() const {
  std::set<std::string> names;
  for (const Entry& entry : entries_) {
    names.insert(entry.section);
  }
  return {names.begin(), names.end()};
}

}  // namespace stoker
