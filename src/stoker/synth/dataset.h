// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "stoker/synth/encoder.h"

namespace stoker::synth {

struct DatasetOptions {
  std::string folder;
  int64_t images = 1000;
  int32_t classes = 10;
  int32_t width = 500;
  int32_t height = 375;
  uint64_t seed = 0;
  ImageFormat format = ImageFormat::Jpeg;
  int quality = 90;    // 1 to 100, of JPEG and WebP
  bool tar = false;    // WebDataset archives instead of one folder a class
  bool force = false;  // replace files of the same names
  int threads = 1;
};

struct DatasetResult {
  int64_t files = 0;
  int64_t bytes = 0;  // of all files
  double bytes_per_image_median = 0;
  double elapsed_ms = 0;
};

// Called after images were made, from any thread, one call at a time.
using Progress = std::function<void(int64_t done, int64_t total)>;

// Makes a set of images. Image i belongs to class i % classes and depends on (seed, i) alone, so
// the files are the same for any number of threads.
//   folders: FOLDER/c003/00013.jpg         (the layout of torchvision's ImageFolder)
//   tar:     FOLDER/000000.tar, with 00013.jpg and 00013.cls for each image, 1000 images a file
// Throws Error: InvalidArgument when the folder has other contents and `force` is off, IoError when
// the system refuses to write.
DatasetResult make_dataset(const DatasetOptions& options, const Progress& progress = {});

}  // namespace stoker::synth
