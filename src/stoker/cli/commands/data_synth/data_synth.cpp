// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stoker/cli/command.h"
#include "stoker/cli/progress_line.h"
#include "stoker/core/json.h"
#include "stoker/core/system_view.h"
#include "stoker/synth/dataset.h"

namespace stoker::cli {
namespace {

synth::DatasetOptions options_of(const ParamMap& values) {
  const SizeValue size = values.size("size");
  return {.folder = values.text("dir"),
          .images = values.integer("images"),
          .classes = static_cast<int32_t>(values.integer("classes")),
          .width = size.width,
          .height = size.height,
          .seed = static_cast<uint64_t>(values.integer("seed")),
          .format = synth::format_of_name(values.text("format")),
          .quality = static_cast<int>(values.integer("quality")),
          .tar = values.flag("tar"),
          .force = values.flag("force"),
          .threads = values.has("threads") ? static_cast<int>(values.integer("threads"))
                                           : SystemView().machine().usable_cpus()};
}

Json json_of(const synth::DatasetOptions& options, const synth::DatasetResult& result,
             const std::string& format) {
  return Json::object(
      {{"schema", "stoker.data.synth/1"},
       {"path", options.folder},
       {"images", options.images},
       {"classes", options.classes},
       {"width", options.width},
       {"height", options.height},
       {"seed", options.seed},
       {"format", format},
       {"quality", options.format == synth::ImageFormat::Png ? Json() : Json(options.quality)},
       {"tar", options.tar},
       {"threads", options.threads},
       {"files", result.files},
       {"bytes", result.bytes},
       {"bytes_per_image_median", result.bytes_per_image_median},
       {"elapsed_ms", result.elapsed_ms},
       {"images_per_s", static_cast<double>(options.images) / result.elapsed_ms * 1e3}});
}

int run(const ParsedArgs& args) {
  const synth::DatasetOptions options = options_of(args.values);
  ProgressLine line("images");
  const synth::DatasetResult result =
      synth::make_dataset(options, [&](int64_t done, int64_t total) { line.show(done, total); });
  if (args.values.flag("json")) {
    fmt::print("{}\n", json_of(options, result, args.values.text("format")).dump());
    return 0;
  }
  fmt::print("{} images of {} classes in {} ({:.1f} MB, {:.0f} kB an image, {:.1f} s)\n",
             options.images, std::min<int64_t>(options.classes, options.images), options.folder,
             static_cast<double>(result.bytes) / 1e6, result.bytes_per_image_median / 1e3,
             result.elapsed_ms / 1e3);
  return 0;
}

}  // namespace

Command command_data_synth() {
  return {.name = "data synth",
          .help = "Make a set of photo-like images with classes that a network can learn.",
          .examples = {"stoker data synth photos --images 2000 --classes 10",
                       "stoker data synth small --images 100 --size 224x224 --format png",
                       "stoker data synth shards --images 5000 --tar --json"},
          .options = {{.name = "images",
                       .kind = ParamKind::Int,
                       .help = "number of images",
                       .value_name = "N",
                       .fallback = "1000",
                       .min = 1,
                       .max = 1e9},
                      {.name = "classes",
                       .kind = ParamKind::Int,
                       .help = "number of classes",
                       .value_name = "K",
                       .fallback = "10",
                       .min = 1,
                       .max = 1e6},
                      {.name = "size",
                       .kind = ParamKind::Size,
                       .help = "width and height in pixels",
                       .value_name = "WxH",
                       .fallback = "500x375",
                       .min = 1,
                       .max = 16383},
                      {.name = "seed",
                       .kind = ParamKind::Int,
                       .help = "the same seed gives the same bytes",
                       .value_name = "S",
                       .fallback = "0",
                       .min = 0},
                      {.name = "format",
                       .kind = ParamKind::Text,
                       .help = "format of the files",
                       .value_name = "FORMAT",
                       .fallback = "jpeg",
                       .choices = {"jpeg", "png", "webp"}},
                      {.name = "quality",
                       .kind = ParamKind::Int,
                       .help = "of JPEG and WebP",
                       .value_name = "Q",
                       .fallback = "90",
                       .min = 1,
                       .max = 100},
                      {.name = "tar",
                       .kind = ParamKind::Flag,
                       .help = "WebDataset archives instead of one folder a class"},
                      {.name = "force",
                       .kind = ParamKind::Flag,
                       .help = "write into a folder that is not empty, replacing files of the same "
                               "names and no others"},
                      threads_option(),
                      json_option()},
          .positionals =
              {{.name = "dir", .help = "folder to make", .value_name = "DIR", .required = true}},
          .run = run};
}

}  // namespace stoker::cli
