// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stoker/pipeline/chain.h"

// Names of files are bytes: os.fsdecode() makes text of them.
inline nanobind::bytes bytes_of(const std::string& text) {
  return nanobind::bytes(text.data(), text.size());
}
inline std::string text_of(const nanobind::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

// Transforms as Python gives them: names with parameters as text.
using PythonTransforms = std::vector<std::pair<std::string, std::map<std::string, std::string>>>;

std::vector<stoker::pipeline::TransformSpec> transforms_from(const PythonTransforms& given);
