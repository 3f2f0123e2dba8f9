// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "stoker/io/source.h"

namespace stoker::io {

// What lies at `path`, by the kind of source that accepts it. Throws Error with a hint.
std::unique_ptr<Source> open_source(const std::string& path, const SourceOptions& options = {});

}  // namespace stoker::io
