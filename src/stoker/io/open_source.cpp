// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/open_source.h"

#include <fmt/format.h>

#include <filesystem>

#include "stoker/core/error.h"
#include "stoker/io/sources_registry.h"

namespace stoker::io {

std::unique_ptr<Source> open_source(const std::string& path, const SourceOptions& options) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) {
    throw Error(ErrorCode::NotFound, fmt::format("there is nothing at {}", path),
                "give a folder of one folder a class, a tar file, or a folder of tar files");
  }
  for (const SourceKind& kind : all_sources()) {
    if (kind.accepts(path)) {
      return kind.open(path, options);
    }
  }
  throw Error(ErrorCode::InvalidArgument, fmt::format("{} is no set of samples", path),
              "give a folder of one folder a class, a tar file, or a folder of tar files");
}

}  // namespace stoker::io
