// SPDX-License-Identifier: Apache-2.0
// PNG files put together from the input: any header, any chunks with right checksums, any rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "same_part.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/png_bytes.h"

namespace {

using stoker::codec::Bytes;
using namespace stoker::codec::testing;

constexpr const char* kNames[] = {"PLTE", "tRNS", "iCCP", "zTXt", "iTXt", "tEXt", "gAMA", "pHYs"};
constexpr size_t kHeadBytes = 5;

// Chunks of the input: which name, how long, and the bytes.
Bytes append_chunks(std::vector<uint8_t>& file, Bytes left, size_t count) {
  for (size_t i = 0; i < count && left.size() >= 2; ++i) {
    const char* name = kNames[left[0] % std::size(kNames)];
    const size_t size = std::min<size_t>(left[1], left.size() - 2);
    append_chunk(file, name, left.subspan(2, size));
    left = left.subspan(2 + size);
  }
  return left;
}

std::vector<uint8_t> file_of(Bytes input) {
  const uint8_t flags = input[0];
  PngHeader header;
  header.width = 1U + input[1];
  header.height = 1U + input[2];
  header.depth = input[3];
  header.colour = input[4];
  header.interlaced = (flags & 1) != 0;
  std::vector<uint8_t> file = png_begin(header);
  const Bytes rows = append_chunks(file, input.subspan(kHeadBytes), flags >> 2 & 3);
  if ((flags & 2) != 0) {  // as it is, instead of compressed
    append_chunk(file, "IDAT", rows);
    append_chunk(file, "IEND", {});
  } else {
    append_rows(file, rows, 0, (flags & 16) != 0 ? 13 : 1 << 30);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto state = stoker::codec::decoder_png().make_state();
  const Bytes input(data, size);
  stoker::fuzz::check_same_part(*state, input, static_cast<uint32_t>(size));
  if (size > kHeadBytes) {
    const std::vector<uint8_t> file = file_of(input);
    stoker::fuzz::check_same_part(*state, file, uint32_t{input[size - 1]} * 977);
  }
  return 0;
}
