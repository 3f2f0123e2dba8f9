// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/core/image_view.h"
#include "stoker/io/source.h"
#include "stoker/pipeline/chain.h"
#include "stoker/pipeline/named_step.h"
#include "stoker/scan/reference.h"

namespace stoker::scan {

struct SheetOptions {
  std::vector<pipeline::TransformSpec> transforms;
  int64_t images = 32;
  int32_t columns = 8;
  uint64_t seed = 0;
  uint32_t epoch = 0;
  bool shuffle = true;
  MakeReference make_reference;  // for files that the engine leaves to it
};

// One sample of the sheet.
struct SheetCell {
  int64_t sample = 0;
  int64_t label = 0;
  std::string name;
  std::string class_name;                  // its label where the source has no names
  std::vector<pipeline::NamedStep> steps;  // that its transforms became
  bool native = false;                     // decoded by the engine
  Status status;                           // why its cell is red
};

struct ContactSheet {
  std::vector<SheetCell> cells;   // row by row
  std::vector<uint8_t> pixels;    // packed RGB
  int32_t width = 0, height = 0;  // of the sheet, in pixels
  int32_t sample_width = 0, sample_height = 0;

  ImageView view() { return {pixels.data(), width, height, 3, static_cast<size_t>(width) * 3}; }
};

// The samples that a loader with this seed gives first in this epoch, one cell each, with class
// and file name below. Pixels are those of the samples; what Normalize did to them is undone. A
// sample that cannot be made is a red cell. Throws Error for transforms that make no sense, and for
// a sheet that is too large.
ContactSheet make_contact_sheet(const io::Source& source, const SheetOptions& options);

}  // namespace stoker::scan
