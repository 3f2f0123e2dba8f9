// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER: writes small JPEGs of every kind, from which the fuzz targets start.
#include <cstdio>
#include <string>
#include <vector>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/core/files.h"
#include "stoker/io/index_file.h"
#include "stoker/io/testing/tar_bytes.h"

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

// A tar file with what the reader knows: plain, GNU and pax names, labels, folders, links.
std::string tar_seed() {
  using stoker::io::testing::tar_member;
  return tar_member("cat/1.jpg", "one") + tar_member("cat/1.cls", "1") +
         tar_member("././@LongLink", std::string(150, 'n') + ".jpg", 'L') +
         tar_member("short", "two") + stoker::io::testing::tar_header("dog/", 0, '5') +
         tar_member("x", stoker::io::testing::pax_record("path", "dog/3.png"), 'x') +
         tar_member("y", "three") + stoker::io::testing::tar_header("dog/4.jpg", 0, '2') +
         stoker::io::testing::kTarEnd + '\1';
}

// An index with three entries, as a whole file.
std::string index_seed(const std::string& folder) {
  const std::string path = folder + "/index";
  stoker::io::IndexWriter writer(path, false);
  for (const std::string name : {"a", "b", "c"}) {
    const std::vector<uint8_t> entry(20, static_cast<uint8_t>(name[0]));
    if (!writer.add(name, entry).ok()) {
      return {};
    }
  }
  const auto written = writer.finish();
  const auto text = stoker::read_text_file(path);
  return written.ok() && text.ok() ? *text : std::string();
}

bool write(const std::string& path, const std::string& data) {
  const bool written = !data.empty() && stoker::write_file_atomic(path, data).ok();
  if (!written) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
  }
  return written;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  int number = 0;
  for (const JpegSpec& spec : seeds()) {
    std::vector<uint8_t> data = stoker::codec::testing::encode(spec);
    data.insert(data.end(), {1, 0, 5, 0, 17, 0, 9, 0});  // what chooses the region
    const std::string path = folder + "/seed" + std::to_string(number++) + ".jpg";
    if (!write(path, std::string(data.begin(), data.end()))) {
      return 1;
    }
  }
  std::string index = index_seed(folder);
  if (index.size() > 48) {
    index[48] = 1;  // hashes are put right
  }
  return write(folder + "/seed.tar", tar_seed()) && write(folder + "/seed.index", index) ? 0 : 1;
}
