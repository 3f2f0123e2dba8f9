// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/scan.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "stoker/core/clock.h"
#include "stoker/core/parallel.h"
#include "stoker/scan/file_check.h"

namespace stoker::scan {
namespace {

// Same size and hash: the same bytes.
struct Fingerprint {
  uint64_t hash = 0;
  int64_t bytes = -1;
  int64_t sample = 0;
  auto operator<=>(const Fingerprint&) const = default;
};

std::vector<DuplicateGroup> find_duplicates(std::vector<Fingerprint> files) {
  std::sort(files.begin(), files.end());
  std::vector<DuplicateGroup> groups;
  for (size_t i = 1; i < files.size(); ++i) {
    const Fingerprint& before = files[i - 1];
    if (files[i].bytes < 0 || files[i].hash != before.hash || files[i].bytes != before.bytes) {
      continue;
    }
    if (groups.empty() || groups.back().samples.back() != before.sample) {
      groups.push_back({before.bytes, {before.sample}});
    }
    groups.back().samples.push_back(files[i].sample);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.samples[0] < b.samples[0]; });
  return groups;
}

// One of `wanted` evenly spread samples of `count`?
bool is_picked(int64_t sample, int64_t count, int64_t wanted) {
  return wanted >= count || sample * wanted / count != (sample + 1) * wanted / count;
}

class Scan {
 public:
  Scan(const io::Source& source, const ScanOptions& options, const ScanProgress& progress)
      : source_(source),
        options_(options),
        progress_(progress),
        checks_(static_cast<size_t>(options.threads)),
        fingerprints_(static_cast<size_t>(source.count())) {}

  ScanResult run() {
    const int64_t begin_ns = now_ns();
    result_.files = source_.count();
    for (size_t label = 0; label < source_.classes().size(); ++label) {
      result_.files_of_label[static_cast<int64_t>(label)] = 0;
    }
    parallel_for(0, source_.count(), options_.threads, [&](int thread, int64_t sample) {
      auto& check = checks_[static_cast<size_t>(thread)];
      if (!check) {
        check = std::make_unique<FileCheck>(source_, options_.make_reference);
      }
      const bool picked = is_picked(sample, source_.count(), options_.pixel_images);
      add(sample, check->check(sample, picked));
    });
    const auto by_sample = [](const NamedFile& a, const NamedFile& b) {
      return a.sample < b.sample;
    };
    std::sort(result_.broken.begin(), result_.broken.end(), by_sample);
    std::sort(result_.unjudged.begin(), result_.unjudged.end(), by_sample);
    result_.duplicates = find_duplicates(std::move(fingerprints_));
    result_.elapsed_ms = static_cast<double>(now_ns() - begin_ns) * 1e-6;
    return std::move(result_);
  }

 private:
  void add(int64_t sample, const FileFacts& facts) {
    const std::lock_guard lock(mutex_);
    ++result_.files_of_label[source_.label(sample)];
    if (facts.readable) {
      result_.bytes += facts.bytes;
      ++result_.formats[static_cast<size_t>(facts.format)];
      result_.indexed += facts.indexed ? 1 : 0;
      fingerprints_[static_cast<size_t>(sample)] = {facts.hash, facts.bytes, sample};
    }
    add_verdict(sample, facts);
    add_image(facts.image);
    ++done_;
    if (progress_) {
      progress_(done_, result_.files);
    }
  }

  void add_verdict(int64_t sample, const FileFacts& facts) {
    switch (facts.verdict) {
      case Verdict::Native:
        ++result_.native;
        break;
      case Verdict::Pillow:
        ++result_.pillow;
        ++result_.pillow_reasons[facts.reason];
        break;
      case Verdict::Broken:
        result_.broken.push_back({sample, source_.name(sample), facts.reason});
        break;
      case Verdict::Unjudged:
        result_.unjudged.push_back({sample, source_.name(sample), facts.reason});
        break;
    }
  }

  void add_image(const ImageFacts& image) {
    if (image.width > 0 && image.height > 0) {
      result_.widths.push_back(image.width);
      result_.heights.push_back(image.height);
    }
    result_.progressive += image.progressive ? 1 : 0;
    result_.cmyk += image.channels == 4 ? 1 : 0;
    result_.grey += image.channels == 1 ? 1 : 0;
    result_.sums += image.sums;
    result_.summed_images += image.sums.pixels > 0 ? 1 : 0;
  }

  const io::Source& source_;
  const ScanOptions& options_;
  const ScanProgress& progress_;
  std::vector<std::unique_ptr<FileCheck>> checks_;  // by thread
  std::mutex mutex_;                                // guards what follows
  std::vector<Fingerprint> fingerprints_;
  int64_t done_ = 0;
  ScanResult result_;
};

}  // namespace

ScanResult scan(const io::Source& source, const ScanOptions& options,
                const ScanProgress& progress) {
  return Scan(source, options, progress).run();
}

PixelStats pixel_stats(const PixelSums& sums) {
  PixelStats stats;
  const auto count = static_cast<long double>(sums.pixels);
  for (size_t channel = 0; channel < 3; ++channel) {
    const long double mean = static_cast<long double>(sums.values[channel]) / count;
    const long double square = static_cast<long double>(sums.squares[channel]) / count;
    stats.mean[channel] = static_cast<double>(mean / 255);
    stats.std[channel] = static_cast<double>(
        std::sqrt(std::max(square - mean * mean, static_cast<long double>(0))) / 255);
  }
  return stats;
}

}  // namespace stoker::scan
