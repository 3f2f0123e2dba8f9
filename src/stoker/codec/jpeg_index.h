// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/core/status.h"

namespace stoker::codec {

constexpr int32_t kDefaultIndexColumns = 4;

// Writes to `entry` where the MCUs of an untouched JPEG are: bit position and DC predictors at
// every row of MCUs and every `columns` MCUs in it. With it as DecodeRequest::index the decoder
// hands libjpeg just the MCUs that a region needs, and its pixels are those of a whole decode.
//
// An entry holds size and XXH3 hash of the whole file and a checksum of itself: one of another
// file, or a damaged one, is noticed and not used. What has a right checksum is believed: somebody
// who forges it can make wrong pixels, but no crash and no access out of bounds.
//
// Unsupported: files that the decoder does not call clean, or on which libjpeg warns; SOF1 and
// above, restart intervals, sampling factors other than 1 and 2, DC values beyond 2047.
// InvalidArgument: `columns` below 1. Thread-safe; `entry` is empty after a failure.
Status make_jpeg_index(Bytes file, int32_t columns, std::vector<uint8_t>& entry);

}  // namespace stoker::codec
