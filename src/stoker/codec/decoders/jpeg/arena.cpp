// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/arena.h"

#include <algorithm>
#include <iterator>

namespace stoker::codec::jpeg {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kFirstPieceBytes = size_t{256} << 10;
constexpr size_t kMaxPieces = 40;
constexpr size_t kMaxRequestBytes = size_t{1} << 40;

size_t round_up(size_t n) {
  return (n + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Arena::Arena() {
  pieces_.reserve(kMaxPieces);
}

bool Arena::add_piece(size_t size_bytes) noexcept {
  if (pieces_.size() == kMaxPieces) {
    return false;
  }
  Piece piece;
  piece.data.reset(static_cast<uint8_t*>(std::aligned_alloc(kAlignment, size_bytes)));
  piece.size_bytes = size_bytes;
  if (!piece.data) {
    return false;
  }
  pieces_.push_back(std::move(piece));
  used_bytes_ = 0;
  return true;
}

void* Arena::allocate(size_t size_bytes) noexcept {
  if (size_bytes > kMaxRequestBytes) {
    return nullptr;
  }
  const size_t size = round_up(std::max<size_t>(size_bytes, 1));
  if (pieces_.empty() || used_bytes_ + size > pieces_.back().size_bytes) {
    const size_t doubled = pieces_.empty() ? kFirstPieceBytes : 2 * pieces_.back().size_bytes;
    if (!add_piece(std::max(size, doubled))) {
      return nullptr;
    }
  }
  uint8_t* p = pieces_.back().data.get() + used_bytes_;
  used_bytes_ += size;
  return p;
}

void Arena::reset() noexcept {
  used_bytes_ = 0;
  if (pieces_.size() > 1) {
    size_t total = 0;
    for (const Piece& piece : pieces_) {
      total += piece.size_bytes;
    }
    pieces_.clear();
    (void)add_piece(total);  // a failure shows at the next allocate()
  }
}

void ArenaHooks::install(jpeg_decompress_struct& cinfo) {
  cinfo.client_data = this;
  original_free_pool_ = cinfo.mem->free_pool;
  cinfo.mem->alloc_small = allocate;
  cinfo.mem->alloc_large = allocate;
  cinfo.mem->alloc_sarray = allocate_samples;
  cinfo.mem->alloc_barray = allocate_blocks;
  cinfo.mem->free_pool = free_pool;
}

ArenaHooks& ArenaHooks::of(j_common_ptr cinfo) {
  return *static_cast<ArenaHooks*>(cinfo->client_data);
}

// After creation libjpeg asks for permanent memory only for the tables of a header. They must not
// outlive their image: a later file without tables would be decoded with them.
void* ArenaHooks::allocate(j_common_ptr cinfo, int /*pool*/, size_t size_bytes) {
  void* p = of(cinfo).arena_.allocate(size_bytes);
  if (p == nullptr) {
    ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
  }
  return p;
}

// Rows are rounded up as libjpeg's own manager does: its SIMD code writes past a row's end.
JSAMPARRAY ArenaHooks::allocate_samples(j_common_ptr cinfo, int pool, JDIMENSION width,
                                        JDIMENSION rows) {
  const size_t row_bytes = round_up(size_t{width} * sizeof(JSAMPLE));
  auto* table = static_cast<JSAMPARRAY>(allocate(cinfo, pool, rows * sizeof(JSAMPROW)));
  auto* samples = static_cast<JSAMPROW>(allocate(cinfo, pool, rows * row_bytes));
  for (JDIMENSION y = 0; y < rows; ++y) {
    table[y] = samples + y * row_bytes;
  }
  return table;
}

JBLOCKARRAY ArenaHooks::allocate_blocks(j_common_ptr cinfo, int pool, JDIMENSION width,
                                        JDIMENSION rows) {
  auto* table = static_cast<JBLOCKARRAY>(allocate(cinfo, pool, rows * sizeof(JBLOCKROW)));
  auto* blocks =
      static_cast<JBLOCKROW>(allocate(cinfo, pool, size_t{rows} * width * sizeof(JBLOCK)));
  for (JDIMENSION y = 0; y < rows; ++y) {
    table[y] = blocks + size_t{y} * width;
  }
  return table;
}

void ArenaHooks::free_pool(j_common_ptr cinfo, int pool) {
  ArenaHooks& hooks = of(cinfo);
  if (pool == JPOOL_IMAGE) {
    auto* decompress = reinterpret_cast<j_decompress_ptr>(cinfo);
    std::fill(std::begin(decompress->quant_tbl_ptrs), std::end(decompress->quant_tbl_ptrs),
              nullptr);
    std::fill(std::begin(decompress->dc_huff_tbl_ptrs), std::end(decompress->dc_huff_tbl_ptrs),
              nullptr);
    std::fill(std::begin(decompress->ac_huff_tbl_ptrs), std::end(decompress->ac_huff_tbl_ptrs),
              nullptr);
    hooks.arena_.reset();
  }
  // Virtual arrays of files with several scans still come from libjpeg's own manager.
  hooks.original_free_pool_(cinfo, pool);
}

}  // namespace stoker::codec::jpeg
