// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/core/status.h"

namespace stoker {

Result<std::string> read_text_file(const std::string& path);
// The bytes of a file into `bytes`, whose memory is reused.
Status read_file(const std::string& path, std::vector<uint8_t>& bytes);

// Writes all of it, whatever interrupts; false with errno set after a failure.
bool write_all(int fd, std::span<const uint8_t> bytes);

struct WriteOptions {
  bool sync = true;     // on disk before the name shows up; false: may be lost by a power cut
  bool replace = true;  // false: an existing file is a failure (InvalidArgument)
};

// Writes `path` so that no reader ever sees half of it: a temporary file beside it, then one
// rename. On failure neither file is left behind.
Status write_file_atomic(const std::string& path, std::span<const uint8_t> bytes,
                         const WriteOptions& options = {});
Status write_file_atomic(const std::string& path, std::string_view text,
                         const WriteOptions& options = {});

// "dir/.name.<pid>-<number>.tmp": free to use in this process, hidden from globs.
std::string temporary_name_for(const std::string& path);

}  // namespace stoker
