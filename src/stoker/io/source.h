// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::io {

// Where samples come from: `count()` of them, each with a label and compressed bytes. The order is
// the source's own and never changes. All functions may be called from any thread.
class Source {
 public:
  virtual ~Source() = default;

  virtual int64_t count() const = 0;
  virtual int64_t label(int64_t sample) const = 0;
  // For people: a path, or "shard-000001.tar: n0/0001.jpg".
  virtual std::string name(int64_t sample) const = 0;
  // The whole file into `bytes`, whose memory is reused. A file that vanished or cannot be read is
  // a Status with its name.
  virtual Status read(int64_t sample, std::vector<uint8_t>& bytes) const = 0;
  // What the index (see codec/decoder.h, DecodeRequest::index) holds for a sample; empty: nothing.
  virtual Status read_index(int64_t sample, std::vector<uint8_t>& entry) const = 0;
  // The sample's name in an index: "cat/0001.jpg" or "shard-000001.tar:n0/0001.jpg", relative to
  // index_folder(), where an index of all samples belongs (see index_path_to_write()).
  virtual std::string index_name(int64_t sample) const { return name(sample); }
  virtual std::string index_folder() const { return "."; }
  // Names of the labels 0, 1, ...; empty where the source has none.
  virtual const std::vector<std::string>& classes() const = 0;
  // The same samples, in the same order, under the same names: resuming asks for it.
  virtual uint64_t fingerprint() const = 0;
  // What was found wrong when it was opened, but leaves samples to use: for people, one a line.
  virtual const std::vector<std::string>& warnings() const;
};

inline const std::vector<std::string>& Source::warnings() const {
  static const std::vector<std::string> none;
  return none;
}

// How a source is opened.
struct SourceOptions {
  std::string index = "auto";  // path of an index file; "auto": look for one; "": none
};

// A plug-in: one folder of io/sources.
struct SourceKind {
  std::string id;
  std::string help;
  bool (*accepts)(const std::string& path) = nullptr;  // by what lies there
  // Throws Error with a hint when there is nothing to load.
  std::unique_ptr<Source> (*open)(const std::string& path, const SourceOptions& options) = nullptr;
};

}  // namespace stoker::io
