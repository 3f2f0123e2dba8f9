// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER: writes small JPEGs of every kind, from which the fuzz targets start.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "stoker/codec/testing/jpeg_encoder.h"

namespace {

using stoker::codec::testing::JpegSpec;

std::vector<JpegSpec> seeds() {
  std::vector<JpegSpec> all;
  const std::vector<std::pair<int, int>> luma_factors = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}};
  for (const auto& factors : luma_factors) {
    JpegSpec spec;
    spec.width = 37;
    spec.height = 43;
    spec.quality = 60;
    spec.sampling[0] = factors;
    all.push_back(spec);
    spec.restart_interval = 2;
    spec.optimize = true;
    all.push_back(spec);
  }
  JpegSpec spec;
  spec.width = 33;
  spec.height = 20;
  spec.components = 1;
  all.push_back(spec);
  spec.components = 3;
  spec.progressive = true;
  all.push_back(spec);
  spec.progressive = false;
  spec.arithmetic = true;
  all.push_back(spec);
  spec.arithmetic = false;
  spec.several_scans = true;
  all.push_back(spec);
  spec.several_scans = false;
  spec.rgb = true;
  all.push_back(spec);
  spec = {};
  spec.components = 4;
  spec.sampling = {};
  all.push_back(spec);
  spec = {};
  spec.width = 1;
  spec.height = 1;
  all.push_back(spec);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_seeds FOLDER\n", stderr);
    return 2;
  }
  int number = 0;
  for (const JpegSpec& spec : seeds()) {
    std::vector<uint8_t> data = stoker::codec::testing::encode(spec);
    data.insert(data.end(), {1, 0, 5, 0, 17, 0, 9, 0});  // what chooses the region
    const std::string path = std::string(argv[1]) + "/seed" + std::to_string(number++) + ".jpg";
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      return 1;
    }
  }
  return 0;
}
