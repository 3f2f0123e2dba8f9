// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace stoker {

// Calls work(thread, item) for every item of [begin, end), from `threads` threads; each thread
// number is used by one thread at a time. After the first exception no new items are begun, and it
// is thrown again here.
void parallel_for(int64_t begin, int64_t end, int threads,
                  const std::function<void(int thread, int64_t item)>& work);

}  // namespace stoker
