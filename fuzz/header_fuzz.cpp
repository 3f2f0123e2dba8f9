// SPDX-License-Identifier: Apache-2.0
// Headers alone. A file that is called clean must have a header that libjpeg takes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/decoders_registry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto decoder = stoker::codec::all_decoders().at(0);
  static const auto state = decoder.make_state();
  const stoker::codec::Bytes bytes(data, size);
  const bool probed = decoder.probe(bytes);
  const bool clean = stoker::codec::jpeg::is_clean(bytes);
  const auto info = state->read_info(bytes);
  if (info.ok() &&
      (info->width <= 0 || info->height <= 0 || info->channels <= 0 || info->clean != clean)) {
    std::abort();
  }
  if (clean && (!probed || (info.ok() && info->channels != 1 && info->channels != 3))) {
    std::abort();
  }
  return 0;
}
