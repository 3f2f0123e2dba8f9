// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/open_source.h"

#include <fmt/format.h>

#include "stoker/core/error.h"
#include "stoker/io/file.h"
#include "stoker/io/sources_registry.h"

namespace stoker::io {

std::unique_ptr<Source> open_source(const std::string& path, const SourceOptions& options) {
  std::string kinds;
  for (const SourceKind& kind : all_sources()) {
    if (kind.accepts(path)) {
      return kind.open(path, options);
    }
    kinds += (kinds.empty() ? "" : "; or ") + kind.help;
  }
  Stamp ignored;
  const bool exists = stamp_of(path.c_str(), ignored);
  throw Error(exists ? ErrorCode::InvalidArgument : ErrorCode::NotFound,
              fmt::format("'{}' {}", path, exists ? "is no source of samples" : "is not there"),
              "give " + kinds);
}

}  // namespace stoker::io
