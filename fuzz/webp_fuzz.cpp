// SPDX-License-Identifier: Apache-2.0
// WebP files with bytes changed and tails cut as the input says, and the input as a file.
#include <webp/encode.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "same_part.h"
#include "stoker/codec/decoders_registry.h"

namespace {

using stoker::codec::Bytes;
using File = std::vector<uint8_t>;

constexpr int kWidth = 37, kHeight = 26;

std::vector<File> make_files() {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < kWidth * kHeight * 4; ++i) {
    pixels.push_back(static_cast<uint8_t>(i * 37 + i / 50 * (i % 9)));
  }
  std::vector<File> files;
  uint8_t* data = nullptr;
  const auto add = [&](size_t size) {
    files.emplace_back(data, data + size);
    WebPFree(data);
  };
  add(WebPEncodeRGB(pixels.data(), kWidth, kHeight, kWidth * 3, 60, &data));
  add(WebPEncodeRGBA(pixels.data(), kWidth, kHeight, kWidth * 4, 30, &data));
  add(WebPEncodeLosslessRGB(pixels.data(), kWidth, kHeight, kWidth * 3, &data));
  add(WebPEncodeLosslessRGBA(pixels.data(), kWidth, kHeight, kWidth * 4, &data));
  return files;
}

// The first byte chooses the file, the next two where it is cut; then come places and values.
File changed(const std::vector<File>& files, Bytes input) {
  File file = files[input[0] % files.size()];
  const auto place = [&](size_t at) {
    return (size_t{input[at]} << 8 | input[at + 1]) % file.size();
  };
  for (size_t at = 3; at + 3 <= input.size(); at += 3) {
    file[place(at)] = input[at + 2];
  }
  if (const size_t cut = place(1); cut > 8) {
    file.resize(cut);
    const size_t riff = cut - 8;  // so that the file looks whole
    file[4] = static_cast<uint8_t>(riff);
    file[5] = static_cast<uint8_t>(riff >> 8);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto state = stoker::codec::decoder_webp().make_state();
  static const std::vector<File> files = make_files();
  const Bytes input(data, size);
  stoker::fuzz::check_same_part(*state, input, static_cast<uint32_t>(size));
  if (size >= 3) {
    stoker::fuzz::check_same_part(*state, changed(files, input), input[size - 1] * 977U);
  }
  return 0;
}
