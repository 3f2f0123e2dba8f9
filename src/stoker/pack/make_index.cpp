// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/make_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "stoker/codec/decoders/jpeg/index_entry.h"
#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/core/hash.h"
#include "stoker/core/parallel.h"
#include "stoker/io/index_file.h"
#include "stoker/io/open_source.h"
#include "stoker/pack/abandoned.h"
#include "stoker/pack/jpeg_kind.h"

namespace stoker::pack {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBlockSamples = 1024;  // whose entries are in memory at a time
constexpr size_t kMostWarnings = 10;

void require(const Status& status) {
  if (!status.ok()) {
    throw Error(status.code(), status.message(),
                "is there room on the disk, and may you write there?");
  }
}

// What became of one sample.
struct Outcome {
  std::vector<uint8_t> entry;  // empty: left out
  bool up_to_date = false;
  std::string reason;   // where it was left out
  std::string warning;  // where it could not be read
};

class IndexMaker {
 public:
  IndexMaker(const IndexOptions& options, const Progress& progress)
      : options_(options),
        progress_(progress),
        source_(io::open_source(options.path, {.index = ""})),
        bytes_(static_cast<size_t>(options.threads)) {}

  IndexReport run() {
    const int64_t begin_ns = now_ns();
    report_.samples = source_->count();
    report_.warnings = source_->warnings();
    report_.index_path = io::index_path_to_write(source_->index_folder());
    remove_abandoned(report_.index_path);
    if (auto old = io::IndexFile::open(report_.index_path); old.ok() && !options_.force) {
      old_ = std::move(*old);
    }
    write();
    report_.index_bytes = fs::file_size(report_.index_path);
    report_.elapsed_ms = static_cast<double>(now_ns() - begin_ns) * 1e-6;
    return std::move(report_);
  }

 private:
  void write() {
    // Other tar files of the folder share the index; a folder is all that there is.
    io::IndexWriter writer(report_.index_path, !fs::is_directory(options_.path));
    std::vector<Outcome> block;
    for (int64_t first = 0; first < report_.samples; first += kBlockSamples) {
      const int64_t last = std::min(first + kBlockSamples, report_.samples);
      block.resize(static_cast<size_t>(last - first));
      parallel_for(first, last, options_.threads, [&](int thread, int64_t sample) {
        end_if_asked(options_.stop);
        make_entry(sample, bytes_[static_cast<size_t>(thread)],
                   block[static_cast<size_t>(sample - first)]);
        count_done();
      });
      for (int64_t sample = first; sample < last; ++sample) {
        take(sample, block[static_cast<size_t>(sample - first)], writer);
      }
    }
    end_if_asked(options_.stop);
    const bool same = report_.made == 0 && static_cast<int64_t>(old_.size()) == report_.up_to_date;
    if (!same || report_.up_to_date == 0) {
      require(writer.finish().status());
    }
  }

  void make_entry(int64_t sample, std::vector<uint8_t>& bytes, Outcome& outcome) {
    outcome.up_to_date = false;
    outcome.reason.clear();
    outcome.warning.clear();
    if (const Status status = source_->read(sample, bytes); !status.ok()) {
      outcome.entry.clear();
      outcome.reason = "cannot be read";
      outcome.warning = status.message();
      return;
    }
    const bool kept = old_.read(source_->index_name(sample), outcome.entry).ok();
    if (kept && is_up_to_date(outcome.entry, bytes, options_.columns)) {
      outcome.up_to_date = true;
      return;
    }
    const Status status = codec::make_jpeg_index(bytes, options_.columns, outcome.entry);
    if (!status.ok()) {
      outcome.reason = reason_left_out(bytes);
    }
  }

  void take(int64_t sample, const Outcome& outcome, io::IndexWriter& writer) {
    if (!outcome.reason.empty()) {
      report_.left_out.add(outcome.reason);
      if (!outcome.warning.empty() && report_.warnings.size() < kMostWarnings) {
        report_.warnings.push_back(outcome.warning);
      }
      return;
    }
    ++(outcome.up_to_date ? report_.up_to_date : report_.made);
    require(writer.add(source_->index_name(sample), outcome.entry));
  }

  void count_done() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) {
      progress_(done_, report_.samples);
    }
  }

  const IndexOptions& options_;
  const Progress& progress_;
  std::unique_ptr<io::Source> source_;
  io::IndexFile old_;
  std::vector<std::vector<uint8_t>> bytes_;  // by thread
  IndexReport report_;
  std::mutex mutex_;
  int64_t done_ = 0;
};

}  // namespace

bool is_up_to_date(codec::Bytes entry, codec::Bytes file, int32_t columns) {
  codec::jpeg::EntryReader reader;
  codec::jpeg::EntryHead head;
  return !entry.empty() && reader.open(entry, head) &&
         head.columns == static_cast<uint32_t>(columns) && head.file_bytes == file.size() &&
         head.file_hash == hash_of(file);
}

std::string_view reason_left_out(codec::Bytes file) {
  const JpegKind kind = kind_of_jpeg(file);
  return kind == JpegKind::Plain ? "damaged or irregular" : name_of(kind);
}

IndexReport make_index(const IndexOptions& options, const Progress& progress) {
  if (options.threads < 1 || options.columns < 1) {
    throw Error(ErrorCode::InvalidArgument, "an index needs at least one thread and one column",
                "give numbers of at least 1");
  }
  return IndexMaker(options, progress).run();
}

}  // namespace stoker::pack
