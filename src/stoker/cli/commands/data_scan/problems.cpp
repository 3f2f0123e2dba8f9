// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/cli/commands/data_scan/report.h"

namespace stoker::cli {
namespace {

constexpr double kUneven = 10;       // files of the largest class for one of the smallest
constexpr double kSlowShare = 0.05;  // of files that are slower than they must be

std::string files_text(int64_t count) {
  return fmt::format("{} file{}", count, count == 1 ? "" : "s");
}

std::string first_of(const Json& list) {
  const Json& first = list.items().front();
  return fmt::format("{}: {}", first["name"].text(), first["reason"].text());
}

class Problems {
 public:
  explicit Problems(const Json& scan) : scan_(scan), files_(scan["files"].integer()) {}

  Json run() {
    broken();
    warnings();
    unjudged();
    duplicates();
    classes();
    slow();
    return std::move(list_);
  }

 private:
  void add(const char* kind, const std::string& found, const std::string& fix) {
    list_.push(Json::object({{"kind", kind}, {"found", found}, {"fix", fix}}));
  }

  void broken() {
    const auto count = static_cast<int64_t>(scan_["broken"].items().size());
    if (count > 0) {
      add("broken",
          fmt::format("{} cannot be decoded, first {}", files_text(count),
                      first_of(scan_["broken"])),
          "replace or delete what --json lists as broken, or train with on_error=\"skip\"");
    }
  }
  void warnings() {
    for (const Json& warning : scan_["warnings"].items()) {
      add("source", warning.text(), "these samples are left out: make the file or folder anew");
    }
  }
  void unjudged() {
    const auto count = static_cast<int64_t>(scan_["unjudged"].items().size());
    if (count > 0) {
      add("unjudged",
          fmt::format("{} left to Pillow, which was not there to judge: {}; first {}",
                      files_text(count), scan_["no_judge_reason"].text(),
                      first_of(scan_["unjudged"])),
          "pip install pillow, or name a Python that has it in STOKER_PYTHON, and scan again");
    }
  }
  // "first a/1.jpg and b/7.jpg", of the first group that lies in that many classes.
  std::string first_group(size_t least_classes) const {
    for (const Json& group : scan_["duplicates"]["groups"].items()) {
      if (group["classes"].items().size() >= least_classes) {
        const Json::Array& names = group["names"].items();
        return fmt::format("first {} and {}", names.front().text(), names.back().text());
      }
    }
    return "";
  }
  void duplicates() {
    const Json& found = scan_["duplicates"];
    if (const int64_t mixed = found["groups_in_several_classes"].integer(); mixed > 0) {
      add("two_classes",
          fmt::format("{} image{} in several classes, {}", mixed, mixed == 1 ? " lies" : "s lie",
                      first_group(2)),
          "keep each in its right class: duplicates.groups of --json has their names");
    }
    if (const int64_t extra = found["extra_files"].integer(); extra > 0) {
      add("duplicates",
          fmt::format("{} repeat{} another byte for byte ({:.1f} MB), {}", files_text(extra),
                      extra == 1 ? "s" : "", found["extra_bytes"].number() / 1e6, first_group(1)),
          "delete all but one of each of duplicates.groups of --json");
    }
  }
  void classes() {
    const Json& found = scan_["classes"];
    if (found["ratio"].number() >= kUneven) {
      add("uneven",
          fmt::format("class {} has {:.0f} times the files of class {}",
                      found["largest"]["name"].text(), found["ratio"].number(),
                      found["smallest"]["name"].text()),
          "weigh the loss by class, or draw classes evenly");
    }
  }
  bool is_much(int64_t count) const {
    return count > 0 && static_cast<double>(count) >= kSlowShare * static_cast<double>(files_);
  }
  void slow() {
    if (const int64_t count = scan_["pillow"].integer(); is_much(count)) {
      add("pillow",
          fmt::format("{} take the slow way through Pillow, most for: {}", files_text(count),
                      scan_["pillow_reasons"].items()[0]["reason"].text()),
          "save them as baseline JPEG, PNG or WebP");
    }
    if (const int64_t count = scan_["progressive"].integer(); is_much(count)) {
      add("progressive",
          fmt::format("{} progressive, which takes several times as long", files_text(count)),
          "`stoker data pack` makes baseline JPEGs of them, with the same pixels");
    }
  }

  const Json& scan_;
  int64_t files_;
  Json list_ = Json::array();
};

}  // namespace

Json scan_problems(const Json& scan) {
  return Problems(scan).run();
}

}  // namespace stoker::cli
