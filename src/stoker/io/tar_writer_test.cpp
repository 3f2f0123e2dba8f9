// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/tar_writer.h"

#include <gtest/gtest.h>

#include "stoker/core/test_tree.h"
#include "stoker/io/file.h"
#include "stoker/io/tar_reader.h"

namespace stoker::io {
namespace {

std::vector<uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

TEST(TarWriter, NamesOfAnyLengthComeBack) {
  for (const size_t length :
       {1U, 98U, 99U, 100U, 101U, 113U, 114U, 115U, 255U, 256U, 986U, 987U, 4000U}) {
    const std::string name = std::string(length - 1, 'n') + "\xFF";
    TarWriter tar;
    ASSERT_TRUE(tar.add(name, bytes_of("data")).ok());
    ASSERT_TRUE(tar.add("next", bytes_of("")).ok());
    const std::vector<uint8_t> archive = tar.finish();
    const TestTree tree;
    const std::string path = tree.write("a.tar", std::string(archive.begin(), archive.end()));
    const FileHandle file = open_to_read(path.c_str());
    TarReader reader(file.get(), archive.size());
    TarMember member;
    ASSERT_TRUE(reader.next(member)) << length;
    EXPECT_EQ(member.name, name);
    std::string text;
    EXPECT_TRUE(reader.read_text(member, text));
    EXPECT_EQ(text, "data");
    ASSERT_TRUE(reader.next(member));
    EXPECT_EQ(member.name, "next");
    EXPECT_FALSE(reader.next(member));
    EXPECT_EQ(reader.damage(), "");
  }
}

TEST(TarWriter, PartsTogetherAreTheWhole) {
  TarWriter whole, parts;
  std::vector<uint8_t> joined, part;
  for (const std::string text : {"first", "", "third"}) {
    ASSERT_TRUE(whole.add("name." + text, bytes_of(text)).ok());
    ASSERT_TRUE(parts.add("name." + text, bytes_of(text)).ok());
    parts.take(part);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  part = parts.finish();
  joined.insert(joined.end(), part.begin(), part.end());
  EXPECT_EQ(joined, whole.finish());
}

TEST(TarWriter, RefusesWhatNoHeaderHolds) {
  TarWriter tar;
  EXPECT_EQ(tar.add("", {}).code(), ErrorCode::TooLarge);
  EXPECT_EQ(tar.add(std::string(65536, 'n'), {}).code(), ErrorCode::TooLarge);
}

}  // namespace
}  // namespace stoker::io
