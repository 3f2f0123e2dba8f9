// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/pack_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/io/index_file.h"
#include "stoker/io/open_source.h"
#include "stoker/io/tar_source.h"
#include "stoker/pack/abandoned.h"
#include "stoker/pack/pack_folder.h"
#include "stoker/pack/shard_packer.h"

namespace stoker::pack {
namespace {

namespace fs = std::filesystem;

constexpr double kIndexBytes = 1300;  // an image, twice: in its shard and beside all shards
constexpr double kTarBytes = 2100;    // headers, padding and label of an image

void check_options(const PackOptions& options) {
  if (options.threads < 1 || options.columns < 1 || options.parts < 1 || options.part < 0 ||
      options.part >= options.parts || options.images_per_shard < 0 ||
      (options.images_per_shard == 0 && options.shard_bytes < 1)) {
    throw Error(ErrorCode::InvalidArgument,
                "threads, columns, parts and sizes of shards begin at 1, and a part is one of all",
                "give such numbers");
  }
  std::error_code ignored;
  const std::string source = fs::weakly_canonical(options.source, ignored).string() + "/";
  const std::string folder = fs::weakly_canonical(options.folder, ignored).string() + "/";
  if (folder.starts_with(source) || source.starts_with(folder)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("'{}' and '{}' lie inside each other", options.source, options.folder),
                "pack into a folder of its own");
  }
}

PackPlan plan_of(const PackOptions& options, const io::Source& source, double mean_bytes) {
  PackPlan plan{.fingerprint = source.fingerprint(),
                .samples = source.count(),
                .shard_bytes = options.images_per_shard == 0 ? options.shard_bytes : 0,
                .images_per_shard = options.images_per_shard,
                .convert = options.convert,
                .columns = options.columns};
  if (plan.images_per_shard == 0) {
    const double images =
        static_cast<double>(options.shard_bytes) / (mean_bytes + kIndexBytes + kTarBytes);
    plan.images_per_shard = static_cast<int64_t>(std::clamp(std::round(images), 1.0, 1e9));
  }
  return plan;
}

class SetPacker {
 public:
  SetPacker(const PackOptions& options, const PackProgress& progress)
      : options_(options),
        progress_(progress),
        source_(io::open_source(options.source, {.index = ""})),
        mean_bytes_(mean_sample_bytes(*source_)),
        plan_(plan_of(options, *source_, mean_bytes_)),
        names_(*source_),
        folder_(options.folder, plan_, options.force) {}

  PackReport run() {
    const int64_t begin_ns = now_ns();
    report_.samples = plan_.samples;
    report_.shards = plan_.shards();
    report_.images_per_shard = plan_.images_per_shard;
    report_.warnings = source_->warnings();
    folder_.write_classes(source_->classes());
    pack_shards(shards_to_make());
    finish_index();
    if (options_.check) {
      check();
    }
    report_.elapsed_ms = static_cast<double>(now_ns() - begin_ns) * 1e-6;
    return std::move(report_);
  }

 private:
  std::vector<int64_t> shards_of_part() const {
    std::vector<int64_t> shards;
    for (int64_t shard = options_.part; shard < plan_.shards(); shard += options_.parts) {
      shards.push_back(shard);
    }
    return shards;
  }

  void add_shard(const ShardEnd& end) {
    report_.part_samples += end.samples;
    report_.part_bytes += end.shard_bytes;
    report_.converted.add(end.converted);
    report_.not_converted.add(end.not_converted);
  }

  std::vector<int64_t> shards_to_make() {
    std::vector<int64_t> todo;
    for (const int64_t shard : shards_of_part()) {
      ShardEnd end;
      if (!options_.force && folder_.has_shard(shard, end)) {
        ++report_.shards_kept;
        add_shard(end);
      } else {
        todo.push_back(shard);
        report_.samples_made += plan_.end_sample(shard) - plan_.first_sample(shard);
      }
    }
    folder_.require_room(static_cast<double>(report_.samples_made) *
                         (mean_bytes_ + 2 * kIndexBytes + kTarBytes));
    return todo;
  }

  void pack_shards(const std::vector<int64_t>& shards) {
    int64_t done = 0;
    ShardPacker packer({.source = *source_,
                        .names = names_,
                        .plan = plan_,
                        .threads = options_.threads,
                        .mean_bytes = mean_bytes_,
                        .stop = options_.stop,
                        .on_sample = [&] {
                          ++done;
                          if (progress_.pack) {
                            progress_.pack(done, report_.samples_made);
                          }
                        }});
    for (const int64_t shard : shards) {
      add_shard(packer.pack(shard, folder_.shard_path(shard)));
      ++report_.shards_made;
    }
  }

  // The one index of the set, of what its shards hold, when the last of them is there.
  void finish_index() {
    const FileLock lock(folder_.lock_path(), true);
    std::vector<ShardEnd> ends(static_cast<size_t>(plan_.shards()));
    for (int64_t shard = 0; shard < plan_.shards(); ++shard) {
      report_.shards_missing += folder_.has_shard(shard, ends[static_cast<size_t>(shard)]) ? 0 : 1;
    }
    if (report_.shards_missing > 0) {
      return;
    }
    if (report_.shards_made == 0) {
      if (const auto index = io::IndexFile::open(folder_.index_path()); index.ok()) {
        report_.indexed = static_cast<int64_t>(index->size());
        return;
      }
    }
    remove_abandoned(folder_.index_path());
    io::IndexWriter writer(folder_.index_path(), false);
    for (const ShardEnd& end : ends) {
      add_entries(end, writer);
    }
    const Result<size_t> count = writer.finish();
    if (!count.ok()) {
      throw Error(ErrorCode::IoError, count.status().message(), "is there room on the disk?");
    }
    report_.indexed = static_cast<int64_t>(*count);
  }

  void add_entries(const ShardEnd& end, io::IndexWriter& writer) {
    end_if_asked(options_.stop);
    const auto entries = read_shard_index(folder_.shard_path(end.shard), end);
    Status status = entries.status();
    for (size_t i = 0; status.ok() && i < entries->size(); ++i) {
      if (!(*entries)[i].empty()) {
        const MemberName name = names_.of(plan_.first_sample(end.shard) + static_cast<int64_t>(i));
        status =
            writer.add(fmt::format("{}:{}.{}", shard_name(end.shard), name.key, name.extension),
                       (*entries)[i]);
      }
    }
    if (!status.ok()) {
      throw Error(ErrorCode::IoError, status.message(), "make the set anew with --force");
    }
  }

  void check() {
    std::vector<std::string> paths;
    std::vector<int64_t> samples;
    for (const int64_t shard : shards_of_part()) {
      paths.push_back(folder_.shard_path(shard));
      for (int64_t i = plan_.first_sample(shard); i < plan_.end_sample(shard); ++i) {
        samples.push_back(i);
      }
    }
    if (paths.empty()) {
      report_.check.emplace();
      return;
    }
    const std::unique_ptr<io::Source> packed = io::make_tar_source(paths);
    report_.check =
        check_pack(*source_, *packed, samples, {.threads = options_.threads, .stop = options_.stop},
                   progress_.check);
  }

  const PackOptions& options_;
  const PackProgress& progress_;
  std::unique_ptr<io::Source> source_;
  double mean_bytes_;
  PackPlan plan_;
  MemberNames names_;
  PackFolder folder_;
  PackReport report_;
};

}  // namespace

PackReport pack_set(const PackOptions& options, const PackProgress& progress) {
  check_options(options);
  return SetPacker(options, progress).run();
}

}  // namespace stoker::pack
