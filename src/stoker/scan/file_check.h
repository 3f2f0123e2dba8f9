// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/pipeline/render.h"
#include "stoker/scan/image_format.h"
#include "stoker/scan/reference.h"

namespace stoker::scan {

enum class Verdict : uint8_t {
  Native,    // the engine decodes it
  Pillow,    // it is left to Pillow, which decodes it
  Broken,    // nobody decodes it, or it cannot be read
  Unjudged,  // it is left to Pillow, but there is none to ask
};

// What was found out about one file.
struct FileFacts {
  Verdict verdict = Verdict::Broken;
  std::string reason;  // why not Native
  ImageFormat format = ImageFormat::Unknown;
  bool readable = false;  // else nothing below holds
  int64_t bytes = 0;
  uint64_t hash = 0;  // XXH3-64 of the whole file
  bool indexed = false;
  ImageFacts image;  // width 0: not known
};

// Reads and decodes files, each as a whole. Keeps its memory from file to file. One thread.
class FileCheck {
 public:
  // Both must outlive it. `make_reference` is called for the first file that needs one, and
  // again when that has failed at its work.
  FileCheck(const io::Source& source, const MakeReference& make_reference)
      : source_(source), make_reference_(make_reference) {}

  FileFacts check(int64_t sample, bool with_sums);

 private:
  Status decode(ImageFacts& facts, bool with_sums);
  void ask_reference(const Status& refusal, bool with_sums, FileFacts& facts);

  const io::Source& source_;
  const MakeReference& make_reference_;
  std::unique_ptr<Reference> reference_;
  bool asked_ = false;
  pipeline::Renderer renderer_;
  std::vector<uint8_t> bytes_, entry_;
};

// Sums of a picture of four bytes a pixel, the last of which means nothing.
PixelSums sums_of(const ImageView& rgbx);

}  // namespace stoker::scan
