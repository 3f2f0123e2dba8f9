// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "stoker/core/buffer.h"
#include "stoker/core/image_view.h"

namespace stoker::image {

// Memory of `buffer` as RGBX pixels, with the room behind them that resize() reads; contents
// undefined. Throws std::bad_alloc.
ImageView rgbx_memory(Buffer& buffer, int32_t width, int32_t height);

// Mirrors RGBX pixels in place.
void flip_horizontal(const ImageView& rgbx);
void flip_vertical(const ImageView& rgbx);

// RGBX to packed RGB (out.channels 3) or to the first channel alone (out.channels 1).
void pack(const ImageView& rgbx, const ImageView& out);

// The part `region` of packed grey or RGB pixels (in.channels 1 or 3) to RGBX; grey replicates.
void unpack(const ImageView& in, const Region& region, const ImageView& rgbx);

// torchvision's ToTensor: HWC uint8 -> CHW float32, value / 255. `channels` is 1 or 3;
// `out` holds channels * height * width floats.
void to_tensor(const uint8_t* hwc, int32_t height, int32_t width, int32_t channels, float* out);

// torchvision's Normalize: (x - mean[c]) / std[c] in float32, without a fused multiply-add.
// `in` and `out` are CHW and may be the same.
void normalize(const float* in, int32_t channels, size_t plane, const float* mean, const float* std,
               float* out);

// Copies bytes past the caches, for memory that is not read soon. After the last such copy
// stream_end(), before another thread is told of them.
void stream(const void* from, size_t bytes, void* to);
void stream_end();

// The SIMD target chosen at run time, such as "AVX3" or "SSE4".
const char* simd_target();

}  // namespace stoker::image
