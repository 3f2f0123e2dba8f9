// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stoker {

uint64_t hash_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

uint64_t hash_of(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct RunningHash::State {
  XXH3_state_t hash;
};

RunningHash::RunningHash() : state_(new State) {
  XXH3_64bits_reset(&state_->hash);
}

RunningHash::~RunningHash() = default;

void RunningHash::add(std::span<const uint8_t> bytes) {
  XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size());
}

uint64_t RunningHash::value() const {
  return XXH3_64bits_digest(&state_->hash);
}

}  // namespace stoker
