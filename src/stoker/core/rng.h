// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker {

// Philox4x32-10 (Salmon et al., 2011): 128 random bits as a pure function of a counter and a key,
// so that no draw depends on the order in which threads ask.
using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// A short stream of draws for one item: `seed` is the key; `item` and `stream` name the stream,
// which begins at the block of four numbers `first_block`. One thread.
class Philox {
 public:
  constexpr Philox(uint64_t seed, uint64_t item, uint32_t stream = 0,
                   uint32_t first_block = 0) noexcept
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{first_block, stream, static_cast<uint32_t>(item),
                 static_cast<uint32_t>(item >> 32)} {}

  constexpr uint32_t next() noexcept {
    if (used_ == block_.size()) {
      block_ = philox4x32(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  // Uniform in [0, 1), 24 bits.
  constexpr float uniform() noexcept { return static_cast<float>(next() >> 8) * 0x1p-24F; }
  constexpr float uniform(float low, float high) noexcept { return low + (high - low) * uniform(); }
  // Uniform in [0, count); `count` is not 0. Rounded down from 32 bits, so off by 2^-32 at most.
  constexpr uint32_t below(uint32_t count) noexcept {
    return static_cast<uint32_t>((uint64_t{next()} * count) >> 32);
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;
  PhiloxCounter block_{};
  size_t used_ = 4;
};

}  // namespace stoker
