// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/cli/command.h"
#include "stoker/cli/pillow.h"
#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/json.h"
#include "stoker/io/open_source.h"
#include "stoker/pipeline/transform_text.h"
#include "stoker/scan/contact_sheet.h"
#include "stoker/synth/encoder.h"

namespace stoker::cli {
namespace {

scan::SheetOptions options_of(const ParamMap& values, std::string& no_pillow_reason) {
  return {.transforms = pipeline::parse_transforms(values.text("transforms")),
          .images = values.integer("images"),
          .columns = static_cast<int32_t>(values.integer("columns")),
          .seed = static_cast<uint64_t>(values.integer("seed")),
          .epoch = static_cast<uint32_t>(values.integer("epoch")),
          .shuffle = !values.flag("no_shuffle"),
          .make_reference = [&]() -> std::unique_ptr<scan::Reference> {
            Result<std::unique_ptr<Pillow>> pillow = Pillow::start();
            if (!pillow.ok()) {
              no_pillow_reason = pillow.status().message();
              return nullptr;
            }
            return std::move(*pillow);
          }};
}

void write_png(scan::ContactSheet& sheet, const std::string& path) {
  std::vector<uint8_t> file;
  Status status = synth::encode(sheet.view(), synth::ImageFormat::Png, 0, file);
  if (status.ok()) {
    status = write_file_atomic(path, file, {.sync = false});
  }
  if (!status.ok()) {
    throw Error(status.code(), status.message(), "name another file with --out");
  }
}

Json cell_json(const scan::SheetCell& cell, int64_t number, int64_t columns) {
  Json steps = Json::array();
  for (const pipeline::NamedStep& step : cell.steps) {
    steps.push(Json::object(
        {{"name", step.name}, {"values", Json::Array(step.values.begin(), step.values.end())}}));
  }
  return Json::object({{"row", number / columns},
                       {"column", number % columns},
                       {"sample", cell.sample},
                       {"name", cell.name},
                       {"label", cell.label},
                       {"class", cell.class_name},
                       {"native", cell.native},
                       {"steps", std::move(steps)},
                       {"error", cell.status.ok() ? Json() : Json(cell.status.message())}});
}

Json json_of(const ParamMap& values, const scan::SheetOptions& options,
             const scan::ContactSheet& sheet, const std::string& no_pillow_reason) {
  Json samples = Json::array();
  int64_t bad = 0;
  for (const scan::SheetCell& cell : sheet.cells) {
    samples.push(
        cell_json(cell, static_cast<int64_t>(samples.items().size()), values.integer("columns")));
    bad += cell.status.ok() ? 0 : 1;
  }
  return Json::object(
      {{"schema", "stoker.data.show/1"},
       {"path", values.text("path")},
       {"out", values.text("out")},
       {"width", sheet.width},
       {"height", sheet.height},
       {"sample_width", sheet.sample_width},
       {"sample_height", sheet.sample_height},
       {"transforms", pipeline::transforms_text(options.transforms)},
       {"seed", values.integer("seed")},
       {"epoch", values.integer("epoch")},
       {"bad", bad},
       {"no_pillow_reason", no_pillow_reason.empty() ? Json() : Json(no_pillow_reason)},
       {"samples", std::move(samples)}});
}

void print_human(const Json& json) {
  fmt::print("{}: {} samples of {} x {} after {}, seed {}, epoch {}\n", json["out"].text(),
             json["samples"].items().size(), json["sample_width"].integer(),
             json["sample_height"].integer(), json["transforms"].text(), json["seed"].integer(),
             json["epoch"].integer());
  for (const Json& sample : json["samples"].items()) {
    if (!sample["error"].is_null()) {
      fmt::print("red, row {}, column {}: {}: {}\n", sample["row"].integer() + 1,
                 sample["column"].integer() + 1, sample["name"].text(), sample["error"].text());
    }
  }
  if (!json["no_pillow_reason"].is_null()) {
    message("there is no Pillow for what stoker leaves to it: " + json["no_pillow_reason"].text());
  }
}

int run(const ParsedArgs& args) {
  const ParamMap& values = args.values;
  std::string no_pillow_reason;
  const scan::SheetOptions options = options_of(values, no_pillow_reason);
  const std::unique_ptr<io::Source> source = io::open_source(values.text("path"));
  scan::ContactSheet sheet = make_contact_sheet(*source, options);
  write_png(sheet, values.text("out"));
  const Json json = json_of(values, options, sheet, no_pillow_reason);
  if (values.flag("json")) {
    fmt::print("{}\n", json.dump());
  } else {
    print_human(json);
  }
  return 0;
}

Param number(const char* name, const char* help, const char* fallback, double min, double max) {
  return {.name = name,
          .kind = ParamKind::Int,
          .help = help,
          .value_name = "N",
          .fallback = fallback,
          .min = min,
          .max = max};
}

}  // namespace

Command command_data_show() {
  return {
      .name = "data show",
      .help = "Draw what the transforms make of a data set's images, as one PNG.",
      .examples = {"stoker data show photos",
                   "stoker data show photos --transforms \"Resize(256), CenterCrop(224)\"",
                   "stoker data show shards --images 8 --columns 4 --seed 1 --json"},
      .options = {{.name = "out",
                   .kind = ParamKind::Text,
                   .help = "file to write",
                   .value_name = "FILE",
                   .fallback = "sheet.png"},
                  number("images", "samples to show: the first ones of the epoch", "32", 1, 1e5),
                  number("columns", "samples side by side", "8", 1, 1000),
                  {.name = "transforms",
                   .kind = ParamKind::Text,
                   .help = "what is done to each image",
                   .value_name = "TEXT",
                   .fallback = "RandomResizedCrop(224), RandomHorizontalFlip()"},
                  number("seed", "of the order and of all draws, as the loader's", "0", 0, 9e15),
                  number("epoch", "as the loader's", "0", 0, 4e9),
                  {.name = "no_shuffle",
                   .kind = ParamKind::Flag,
                   .help = "the first samples of the data set, in its order"},
                  json_option()},
      .positionals = {{.name = "path",
                       .help = "folder of classes, tar, or folder of tars",
                       .value_name = "PATH",
                       .required = true}},
      .run = run};
}

}  // namespace stoker::cli
