// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/parallel.h"
#include "stoker/core/stats.h"
#include "stoker/io/tar_writer.h"
#include "stoker/synth/generator.h"

namespace stoker::synth {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kImagesPerTar = 1000;

int digits_of(int64_t count, int at_least) {
  return std::max(at_least, static_cast<int>(fmt::formatted_size("{}", count - 1)));
}

void require(const Status& status) {
  if (!status.ok()) {
    throw Error(status.code() == ErrorCode::InvalidArgument ? status.code() : ErrorCode::IoError,
                status.message(), "is there room on the disk, and may you write there?");
  }
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::IoError,
                fmt::format("cannot make the folder '{}': {}", folder, error.message()),
                "name a folder that you may write to");
  }
}

// One run of make_dataset.
class Maker {
 public:
  Maker(const DatasetOptions& options, const Progress& progress)
      : options_(options),
        progress_(progress),
        generators_(static_cast<size_t>(options.threads)),
        sizes_(static_cast<size_t>(options.images)) {}

  DatasetResult run() {
    const int64_t begin_ns = now_ns();
    prepare_folder();
    if (options_.tar) {
      write_tars();
    } else {
      write_folders();
    }
    result_.bytes_per_image_median = median(sizes_);
    result_.elapsed_ms = static_cast<double>(now_ns() - begin_ns) * 1e-6;
    return result_;
  }

 private:
  void prepare_folder() {
    make_folder(options_.folder);
    if (!options_.force && !fs::is_empty(options_.folder)) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("the folder '{}' is not empty", options_.folder),
                  "name a new folder; --force replaces files of the same names and no others");
    }
  }

  std::string name_of(int64_t image) const {
    return fmt::format("{:0{}}", image, digits_of(options_.images, 5));
  }
  std::string class_folder(int64_t class_index) const {
    return fmt::format("{}/c{:0{}}", options_.folder, class_index, digits_of(options_.classes, 3));
  }

  void encode_image(int thread, int64_t image, std::vector<uint8_t>& out) {
    const ImageSpec spec{.width = options_.width,
                         .height = options_.height,
                         .seed = options_.seed,
                         .index = static_cast<uint64_t>(image),
                         .class_index = static_cast<int32_t>(image % options_.classes)};
    const ImageView pixels = generators_[static_cast<size_t>(thread)].draw(spec);
    require(encode(pixels, options_.format, options_.quality, out));
    sizes_[static_cast<size_t>(image)] = static_cast<double>(out.size());
  }

  void count_image() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) {
      progress_(done_, options_.images);
    }
  }

  void count_file(size_t bytes) {
    const std::lock_guard lock(mutex_);
    ++result_.files;
    result_.bytes += static_cast<int64_t>(bytes);
  }

  void write_folders() {
    for (int64_t c = 0; c < std::min<int64_t>(options_.classes, options_.images); ++c) {
      make_folder(class_folder(c));
    }
    std::vector<std::vector<uint8_t>> buffers(static_cast<size_t>(options_.threads));
    parallel_for(0, options_.images, options_.threads, [&](int thread, int64_t image) {
      std::vector<uint8_t>& bytes = buffers[static_cast<size_t>(thread)];
      encode_image(thread, image, bytes);
      const std::string path = fmt::format("{}/{}.{}", class_folder(image % options_.classes),
                                           name_of(image), file_extension(options_.format));
      require(write_file_atomic(path, bytes, {.sync = false, .replace = options_.force}));
      count_file(bytes.size());
      count_image();
    });
  }

  void write_tars() {
    for (int64_t first = 0; first < options_.images; first += kImagesPerTar) {
      const int64_t last = std::min(first + kImagesPerTar, options_.images);
      std::vector<std::vector<uint8_t>> encoded(static_cast<size_t>(last - first));
      parallel_for(first, last, options_.threads, [&](int thread, int64_t image) {
        encode_image(thread, image, encoded[static_cast<size_t>(image - first)]);
        count_image();
      });
      const std::vector<uint8_t> archive = archive_of(first, encoded);
      const std::string path = fmt::format("{}/{:06}.tar", options_.folder, first / kImagesPerTar);
      require(write_file_atomic(path, archive, {.sync = false, .replace = options_.force}));
      count_file(archive.size());
    }
  }

  std::vector<uint8_t> archive_of(int64_t first,
                                  const std::vector<std::vector<uint8_t>>& encoded) const {
    io::TarWriter tar;
    for (size_t i = 0; i < encoded.size(); ++i) {
      const int64_t image = first + static_cast<int64_t>(i);
      const std::string label = fmt::format("{}", image % options_.classes);
      require(tar.add(fmt::format("{}.{}", name_of(image), file_extension(options_.format)),
                      encoded[i]));
      require(tar.add(name_of(image) + ".cls", std::vector<uint8_t>(label.begin(), label.end())));
    }
    return tar.finish();
  }

  const DatasetOptions& options_;
  const Progress& progress_;
  std::vector<Generator> generators_;
  std::vector<double> sizes_;
  std::mutex mutex_;  // guards done_ and result_
  int64_t done_ = 0;
  DatasetResult result_;
};

}  // namespace

DatasetResult make_dataset(const DatasetOptions& options, const Progress& progress) {
  if (options.images < 1 || options.classes < 1 || options.threads < 1 || options.width < 1 ||
      options.height < 1) {
    throw Error(ErrorCode::InvalidArgument, "a set needs at least one image, class and pixel",
                "give numbers of at least 1");
  }
  return Maker(options, progress).run();
}

}  // namespace stoker::synth
