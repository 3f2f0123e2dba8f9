// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stoker/cli/python_script.h"
#include "stoker/scan/reference.h"

namespace stoker::cli {

// Pillow in a process of its own, see python/stoker/pillow_server.py. One thread.
class Pillow : public scan::Reference {
 public:
  // A failure says why there is no Pillow to ask.
  static Result<std::unique_ptr<Pillow>> start();

  // "Pillow 12.0.0".
  std::string name() const { return script_->ready()["name"].text(); }
  Result<scan::ImageFacts> judge(codec::Bytes file, bool with_sums) override;
  Result<scan::ImageFacts> decode(codec::Bytes file, std::vector<uint8_t>& rgb) override;

 private:
  explicit Pillow(std::unique_ptr<PythonScript> script) : script_(std::move(script)) {}
  Result<Json> ask(const char* kind, codec::Bytes file);

  std::unique_ptr<PythonScript> script_;
};

}  // namespace stoker::cli
