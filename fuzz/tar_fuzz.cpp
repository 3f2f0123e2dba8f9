// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tar file: an Error, or samples that can all be read. The last byte chooses whether
// checksums are put right, without which few headers would be looked at.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "stoker/core/error.h"
#include "stoker/io/tar_source.h"

namespace {

constexpr size_t kBlock = 512;
constexpr size_t kSum = 148;
constexpr size_t kSumSize = 8;

void put_checksums_right(std::vector<uint8_t>& tar) {
  for (size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    const auto block = tar.begin() + static_cast<std::ptrdiff_t>(at);
    const auto sum = block + kSum;
    // Data and zeros stay as they are: a header has a type or a size beside its name.
    if (block[257] != 'u') {
      continue;
    }
    std::fill(sum, sum + kSumSize, ' ');
    unsigned total = std::accumulate(block, block + kBlock, 0U);
    for (int digit = 5; digit >= 0; --digit, total /= 8) {
      sum[digit] = static_cast<uint8_t>('0' + total % 8);
    }
    sum[6] = 0;
  }
}

void read_all(const std::string& path) {
  const auto source = stoker::io::make_tar_source({path}, {""});
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < source->count(); ++i) {
    const bool lost = !source->read(i, bytes).ok();
    const bool named = !source->name(i).empty() && !source->index_name(i).empty();
    if (lost || !named || (!source->classes().empty() && source->label(i) < 0)) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  return ::setenv("STOKER_CACHE", "/proc/none", 1);  // no list is kept
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> tar(data, data + size);
  if (size > 0 && data[size - 1] % 2 == 1) {
    put_checksums_right(tar);
  }
  const int fd = ::memfd_create("tar", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, tar.data(), tar.size()) != static_cast<ssize_t>(tar.size())) {
    std::abort();
  }
  try {
    read_all("/proc/self/fd/" + std::to_string(fd));
  } catch (const stoker::Error& error) {
    if (error.hint().empty()) {
      std::abort();
    }
  }
  ::close(fd);
  return 0;
}
