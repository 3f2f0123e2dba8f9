// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "stoker/cli/command.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/core/error.h"
#include "stoker/core/json.h"
#include "stoker/core/lever.h"
#include "stoker/core/process_paths.h"
#include "stoker/image/transforms_registry.h"
#include "stoker/io/sources_registry.h"

namespace stoker::cli {
namespace {

struct Item {
  std::string id;
  std::string change_class;  // of levers
  std::string title;         // in the table
  std::string help;          // in JSON
  std::string name = {};     // of transforms: as Python and --transforms have it
  ParamSchema params = {};
};

std::vector<Item> list_levers() {
  const Result<std::string> package = find_python_package(ProcessPaths::of_this_process());
  if (!package.ok()) {
    throw Error(ErrorCode::IoError, package.status().message(),
                "levers are part of the Python package: install it beside this program");
  }
  std::vector<Item> items;
  for (const LeverFacts& lever : read_levers(*package)) {
    items.push_back({lever.id, lever.change_class, lever.title,
                     lever.title + ". " + lever.help + " When not: " + lever.when_not});
  }
  return items;
}

std::vector<Item> list_decoders() {
  std::vector<Item> items;
  for (const codec::Decoder& decoder : codec::all_decoders()) {
    items.push_back({decoder.id, "", decoder.help, decoder.help});
  }
  return items;
}

// "RandomHorizontalFlip(p=0.5)".
std::string signature(const image::Transform& transform) {
  std::string text = transform.name + "(";
  for (const Param& param : transform.params) {
    const bool list = param.fallback.find(',') != std::string::npos;
    text += fmt::format("{}{}", text.back() == '(' ? "" : ", ", param.name);
    if (!param.required) {
      const std::string& value = param.fallback.empty() ? "None" : param.fallback;
      text += fmt::format(fmt::runtime(list ? "=({})" : "={}"), value);
    }
  }
  return text + ")";
}

std::vector<Item> list_transforms() {
  std::vector<Item> items;
  for (const image::Transform& transform : image::all_transforms()) {
    items.push_back({.id = transform.id,
                     .change_class = "",
                     .title = transform.help + ": " + signature(transform),
                     .help = transform.help,
                     .name = transform.name,
                     .params = transform.params});
  }
  return items;
}

std::vector<Item> list_sources() {
  std::vector<Item> items;
  for (const io::SourceKind& source : io::all_sources()) {
    items.push_back({source.id, "", source.help, source.help});
  }
  return items;
}

std::vector<Item> list_kind(const std::string& kind) {
  if (kind == "levers") {
    return list_levers();
  }
  if (kind == "transforms") {
    return list_transforms();
  }
  if (kind == "sources") {
    return list_sources();
  }
  return kind == "decoders" ? list_decoders() : std::vector<Item>();
}

Json param_json(const Param& param) {
  Json json = Json::object({{"name", param.name},
                            {"kind", param_kind_name(param.kind)},
                            {"help", param.help},
                            {"required", param.required}});
  if (!param.fallback.empty()) {
    json.set("default", param.fallback);
  }
  if (!param.choices.empty()) {
    json.set("choices", Json::strings(param.choices));
  }
  if (param.min) {
    json.set("min", *param.min);
  }
  if (param.max) {
    json.set("max", *param.max);
  }
  return json;
}

Json json_of(const std::string& kind, const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) {
    Json entry = Json::object({{"id", item.id}});
    if (!item.change_class.empty()) {
      entry.set("class", item.change_class);
    }
    if (!item.name.empty()) {
      entry.set("name", item.name);
    }
    Json params = Json::array();
    for (const Param& param : item.params) {
      params.push(param_json(param));
    }
    entry.set("help", item.help).set("parameters", std::move(params));
    list.push(std::move(entry));
  }
  return Json::object({{"schema", "stoker.list/1"}, {"kind", kind}, {"items", std::move(list)}});
}

const std::string& shown_name(const Item& item) {
  return item.name.empty() ? item.id : item.name;
}

void print_table(const std::vector<Item>& items) {
  size_t id_width = 0;
  size_t class_width = 0;
  for (const Item& item : items) {
    id_width = std::max(id_width, shown_name(item).size());
    class_width = std::max(class_width, item.change_class.size());
  }
  for (const Item& item : items) {
    fmt::print("{:{}}  ", shown_name(item), id_width);
    if (class_width > 0) {
      fmt::print("{:{}}  ", item.change_class, class_width);
    }
    fmt::print("{}\n", item.title);
  }
}

int run(const ParsedArgs& args) {
  const std::string& kind = args.values.text("kind");
  const std::vector<Item> items = list_kind(kind);
  if (args.values.flag("json")) {
    fmt::print("{}\n", json_of(kind, items).dump());
    return 0;
  }
  if (items.empty()) {
    message(fmt::format("no {} are built in yet", kind));
  }
  print_table(items);
  return 0;
}

}  // namespace

Command command_list() {
  return {
      .name = "list",
      .help = "Show what is built in.",
      .examples = {"stoker list decoders", "stoker list transforms", "stoker list levers --json"},
      .options = {json_option()},
      .positionals = {{.name = "kind",
                       .help = "what to list",
                       .value_name = "KIND",
                       .choices = {"checks", "levers", "decoders", "transforms", "sources"},
                       .required = true}},
      .run = run};
}

}  // namespace stoker::cli
