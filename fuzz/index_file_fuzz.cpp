// SPDX-License-Identifier: Apache-2.0
// Any bytes as an index file: a Status, or entries that can all be read. The last byte of the
// head's reserved part chooses whether hashes are put right, without which hardly any file is
// opened.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "stoker/io/index_file.h"
#include "stoker/io/index_format.h"

namespace {

using stoker::io::IndexHead;

void put_hashes_right(std::vector<uint8_t>& file) {
  IndexHead head;
  std::memcpy(head.bytes().data(), file.data(), sizeof(head));
  if (head.reserved[2] % 2 == 0) {
    return;
  }
  head.magic = stoker::io::kIndexMagic;
  const std::span<const uint8_t> table = file;
  if (head.table_offset <= file.size()) {
    head.table_hash = stoker::hash_of(table.subspan(head.table_offset));
  }
  head.head_hash = head.own_hash();
  std::memcpy(file.data(), head.bytes().data(), sizeof(head));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> file(data, data + size);
  if (size >= sizeof(IndexHead)) {
    put_hashes_right(file);
  }
  const int fd = ::memfd_create("index", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size())) {
    std::abort();
  }
  {
    const auto index = stoker::io::IndexFile::open("/proc/self/fd/" + std::to_string(fd));
    std::vector<uint8_t> entry;
    for (size_t row = 0; index.ok() && row < index->size(); ++row) {
      if (!index->read_row(row, entry).ok() || entry.size() > size) {
        std::abort();
      }
    }
    if (index.ok() && !index->read("no such name", entry).ok()) {
      std::abort();
    }
  }
  ::close(fd);
  return 0;
}
