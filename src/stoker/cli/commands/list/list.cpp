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

namespace stoker::cli {
namespace {

struct Item {
  std::string id;
  std::string change_class;  // of levers
  std::string title;         // in the table
  std::string help;          // in JSON
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

std::vector<Item> list_kind(const std::string& kind) {
  if (kind == "levers") {
    return list_levers();
  }
  return kind == "decoders" ? list_decoders() : std::vector<Item>();
}

Json json_of(const std::string& kind, const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) {
    Json entry = Json::object({{"id", item.id}});
    if (!item.change_class.empty()) {
      entry.set("class", item.change_class);
    }
    entry.set("help", item.help).set("parameters", Json::array());
    list.push(std::move(entry));
  }
  return Json::object({{"schema", "stoker.list/1"}, {"kind", kind}, {"items", std::move(list)}});
}

void print_table(const std::vector<Item>& items) {
  size_t id_width = 0;
  size_t class_width = 0;
  for (const Item& item : items) {
    id_width = std::max(id_width, item.id.size());
    class_width = std::max(class_width, item.change_class.size());
  }
  for (const Item& item : items) {
    fmt::print("{:{}}  ", item.id, id_width);
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
  return {.name = "list",
          .help = "Show what is built in.",
          .examples = {"stoker list decoders", "stoker list levers --json"},
          .options = {json_option()},
          .positionals = {{.name = "kind",
                           .help = "what to list",
                           .value_name = "KIND",
                           .choices = {"checks", "levers", "decoders", "transforms", "sources"},
                           .required = true}},
          .run = run};
}

}  // namespace stoker::cli
