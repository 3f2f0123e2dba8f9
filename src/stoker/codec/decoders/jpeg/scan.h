// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/header.h"

namespace stoker::codec::jpeg {

// Where the picture ends, just behind its end marker, when the data are one plain Huffman-coded
// scan of 1 or 3 components whose every table and size libjpeg accepts, and the scan holds nothing
// but stuffed bytes and the restart markers that DRI announces, in order and number, up to an end
// marker. Such a file decodes without an error whatever its entropy-coded bits say, so its decoding
// may be put off. In doubt: 0.
size_t clean_end(Bytes data);

// The same for a header that has been read.
size_t scan_end(Bytes data, const Header& header);

inline bool is_clean(Bytes data) {
  return clean_end(data) != 0;
}

}  // namespace stoker::codec::jpeg
