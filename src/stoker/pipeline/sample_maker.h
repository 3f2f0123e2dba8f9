// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stoker/pipeline/chain.h"
#include "stoker/pipeline/output.h"
#include "stoker/pipeline/render.h"

namespace stoker::pipeline {

// Which sample, and which draws.
struct SampleKey {
  uint64_t seed = 0;
  uint32_t epoch = 0;
  uint64_t sample = 0;
};

// Where the time of one sample went.
struct SampleTimes {
  int64_t decode_ns = 0;
  int64_t transform_ns = 0;
  int64_t write_ns = 0;
};

// Makes finished samples of compressed images. One a thread; keeps its memory, so that nothing is
// allocated per sample in the steady state.
class SampleMaker {
 public:
  // Both must outlive it.
  SampleMaker(const Chain& chain, const OutputWriter& writer, image::PassOrder order);
  ~SampleMaker();
  SampleMaker(const SampleMaker&) = delete;
  SampleMaker& operator=(const SampleMaker&) = delete;

  // Writes the sample to `out`, see OutputWriter. Fails on whatever is not surely decoded exactly:
  // the caller then asks its reference decoder and calls make_from_pixels().
  Status make(codec::Bytes data, codec::Bytes index, const SampleKey& key, void* out,
              SampleTimes& times);
  // From decoded pixels, packed RGB (or grey), whole.
  Status make_from_pixels(const ImageView& pixels, const SampleKey& key, void* out,
                          SampleTimes& times);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Applies image steps (up to the first of another kind) to RGBX pixels, one after the other. The
// result lies in `pixels` or in the scratch memory, until the next call.
struct StepScratch {
  Buffer first, second;
  image::PixelScratch pixels;
};
Status apply_image_steps(std::span<const image::Step> steps, image::PassOrder order,
                         ImageView& pixels, StepScratch& scratch);

}  // namespace stoker::pipeline
