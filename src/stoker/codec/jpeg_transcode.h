// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/core/status.h"

namespace stoker::codec {

// Writes to `out` the same image as one baseline Huffman scan with tables of its own, so that
// regions of it decode fast and it can be indexed (jpeg_index.h). For progressive, arithmetic and
// multi-scan JPEGs, and any other that libjpeg reads. Coefficients are the same and so is every
// decoded pixel; APPn and COM segments are kept in their order, what follows the end marker is not.
//
// Fails on any libjpeg warning, and with Unsupported on what would not stay the same: progressive
// files that leave precision out (libjpeg smooths those), values beyond baseline. TooLarge: more
// than 178,956,970 pixels, which Pillow refuses. Thread-safe; `out` is empty after a failure.
Status to_baseline(Bytes file, std::vector<uint8_t>& out);

}  // namespace stoker::codec
