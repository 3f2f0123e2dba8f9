// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "stoker/codec/libjpeg.h"

namespace stoker::codec::jpeg {

// Memory that libjpeg asks for while it decodes one image, kept for the next one, so that decoding
// allocates nothing once it has seen the largest image.
class Arena {
 public:
  Arena();
  // 64-byte aligned; null when the system has no memory left.
  void* allocate(size_t size_bytes) noexcept;
  // Makes all memory free again. Several pieces become one, so that later images need no more.
  void reset() noexcept;

 private:
  struct Free {
    void operator()(uint8_t* p) const noexcept { std::free(p); }
  };
  struct Piece {
    std::unique_ptr<uint8_t, Free> data;
    size_t size_bytes = 0;
  };
  bool add_piece(size_t size_bytes) noexcept;

  std::vector<Piece> pieces_;  // capacity is reserved: growing must not throw through libjpeg
  size_t used_bytes_ = 0;      // of the last piece
};

// Hooks into the memory manager of a decompress object, which must have been created already:
// memory of the image, and tables read from its header, come from an arena.
class ArenaHooks {
 public:
  // `hooks` must outlive `cinfo`, whose client_data it takes.
  void install(jpeg_decompress_struct& cinfo);

 private:
  static ArenaHooks& of(j_common_ptr cinfo);
  static void* allocate(j_common_ptr cinfo, int pool, size_t size_bytes);
  static JSAMPARRAY allocate_samples(j_common_ptr cinfo, int pool, JDIMENSION width,
                                     JDIMENSION rows);
  static JBLOCKARRAY allocate_blocks(j_common_ptr cinfo, int pool, JDIMENSION width,
                                     JDIMENSION rows);
  static void free_pool(j_common_ptr cinfo, int pool);

  Arena arena_;
  void (*original_free_pool_)(j_common_ptr, int) = nullptr;
};

}  // namespace stoker::codec::jpeg
