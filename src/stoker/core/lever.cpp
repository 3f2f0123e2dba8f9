// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/lever.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "stoker/core/config.h"

namespace stoker {
namespace {

namespace fs = std::filesystem;

const ParamSchema& schema() {
  static const ParamSchema kSchema = {
      {.name = "id", .help = "name in the command line and in JSON", .required = true},
      {.name = "class",
       .help = "class of change",
       .choices = {"exact", "rounding", "random", "precision", "recipe"},
       .required = true},
      {.name = "title", .help = "what it does, in one line", .required = true},
      {.name = "help", .help = "what it does", .required = true},
      {.name = "when_not", .help = "what would make it wrong", .required = true},
      {.name = "source", .help = "where to read more", .required = true}};
  return kSchema;
}

LeverFacts read_lever(const std::string& path) {
  const ParamMap facts = Config::read(path).section("", schema());
  return {.id = facts.text("id"),
          .change_class = facts.text("class"),
          .title = one_line(facts.text("title")),
          .help = one_line(facts.text("help")),
          .when_not = one_line(facts.text("when_not")),
          .source = facts.text("source")};
}

}  // namespace

std::string one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    line += line.empty() ? "" : " ";
    line += word;
  }
  return line;
}

std::vector<LeverFacts> read_levers(const std::string& package) {
  std::vector<LeverFacts> levers;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(package + "/levers", none)) {
    const fs::path file = entry.path() / "lever.toml";
    if (fs::is_regular_file(file, none)) {
      levers.push_back(read_lever(file.string()));
    }
  }
  std::sort(levers.begin(), levers.end(),
            [](const LeverFacts& a, const LeverFacts& b) { return a.id < b.id; });
  return levers;
}

}  // namespace stoker
