// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::codec::png {

constexpr size_t kFilters = 5;  // none, sub, up, average, Paeth
// unfilter() may read that far behind both rows.
constexpr size_t kSlackBytes = 8;

// Undoes filter `filter` (below kFilters) of the PNG standard on a row in place. `above`: the row
// above, unfiltered. `pixel_bytes`: 1 to 8, the distance to the byte on the left.
void unfilter(uint8_t filter, uint8_t* row, const uint8_t* above, size_t row_bytes,
              size_t pixel_bytes);

}  // namespace stoker::codec::png
