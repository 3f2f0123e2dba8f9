// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stoker/pipeline/chain.h"

// Transforms as Python gives them: names with parameters as text.
using PythonTransforms = std::vector<std::pair<std::string, std::map<std::string, std::string>>>;

std::vector<stoker::pipeline::TransformSpec> transforms_from(const PythonTransforms& given);
