// SPDX-License-Identifier: Apache-2.0
// A JPEG with an index of its own must give the pixels that it has without one; with a forged
// entry under right checksums it may give others, but does nothing worse. A file that becomes
// baseline keeps its pixels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stoker/codec/decoders/jpeg/index_entry.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/jpeg_transcode.h"
#include "stoker/core/hash.h"

namespace {

constexpr int32_t kMaxPixels = 1 << 18;
constexpr size_t kChoiceBytes = 9;
constexpr size_t kHashBytes = 8;

using stoker::ImageView;
using stoker::Region;
using stoker::codec::Bytes;
using Data = std::vector<uint8_t>;

bool decode(stoker::codec::DecoderState& state, Bytes data, Bytes index, const Region& region,
            Data& pixels) {
  const auto row = static_cast<size_t>(region.width()) * 4;
  pixels.assign(row * static_cast<size_t>(region.height()), 0);
  const ImageView out{pixels.data(), region.width(), region.height(), 4, row};
  return state.decode(data, {region, stoker::codec::PixelFormat::Rgbx, index}, out).ok();
}

void sign(Data& entry) {
  const uint64_t hash = stoker::hash_of(entry);
  for (size_t i = 0; i < kHashBytes; ++i) {
    entry.push_back(static_cast<uint8_t>(hash >> (8 * i)));
  }
}

// The honest entry with bytes changed as `junk` says, or junk alone where there is none.
Data forge(Bytes data, const Data& honest, int32_t columns, Bytes junk) {
  Data entry = honest;
  if (entry.empty()) {
    stoker::codec::jpeg::EntryHead head;
    head.columns = static_cast<uint32_t>(columns);
    head.file_bytes = data.size();
    head.end_bytes = data.size();
    head.file_hash = stoker::hash_of(data);
    stoker::codec::jpeg::EntryWriter(head, 3, entry).finish();
    entry.insert(entry.end() - kHashBytes, junk.begin(), junk.end());
  }
  entry.resize(entry.size() - kHashBytes);
  constexpr size_t kFirst = 1 + kHashBytes;
  for (size_t i = 0; !honest.empty() && i + 3 <= junk.size(); i += 3) {
    const size_t at = size_t{junk[i]} << 8 | junk[i + 1];
    entry[kFirst + at % (entry.size() - kFirst)] ^= junk[i + 2];
  }
  sign(entry);
  return entry;
}

void check_baseline(stoker::codec::DecoderState& state, Bytes data, const Region& whole) {
  Data baseline;
  Data before;
  Data after;
  if (stoker::codec::to_baseline(data, baseline).ok() && decode(state, data, {}, whole, before) &&
      (!decode(state, baseline, {}, whole, after) || before != after)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto state = stoker::codec::all_decoders().at(0).make_state();
  const Bytes bytes(data, size);
  const auto info = state->read_info(bytes);
  if (!info.ok() || size < kChoiceBytes || int64_t{info->width} * info->height > kMaxPixels) {
    return 0;
  }
  check_baseline(*state, bytes, {0, 0, info->width, info->height});
  // The bytes at the end, which may lie behind the end marker, choose region and columns.
  const auto choose = [&](size_t i, int32_t limit) {
    return (data[size - 2 * i - 1] << 8 | data[size - 2 * i - 2]) % limit;
  };
  Region region;
  region.x0 = choose(0, info->width);
  region.y0 = choose(1, info->height);
  region.x1 = region.x0 + 1 + choose(2, info->width - region.x0);
  region.y1 = region.y0 + 1 + choose(3, info->height - region.y0);
  const int32_t columns = 1 + data[size - kChoiceBytes] % 9;
  static Data honest;
  static Data plain;
  static Data indexed;
  if (stoker::codec::make_jpeg_index(bytes, columns, honest).ok()) {
    if (!info->clean || !decode(*state, bytes, {}, region, plain) ||
        !decode(*state, bytes, honest, region, indexed) || plain != indexed) {
      std::abort();
    }
  }
  const size_t junk = std::max(info->end_bytes, size / 2);
  const Data forged = forge(bytes, honest, columns, junk < size ? bytes.subspan(junk) : Bytes());
  (void)state->read_info_indexed(bytes, forged).ok();
  (void)decode(*state, bytes, forged, region, indexed);
  return 0;
}
