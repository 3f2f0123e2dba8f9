// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/tiny_font.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace stoker::scan {
namespace {

// One octal digit a row, the top one first: 4 is the left dot, 1 the right one.
struct Glyph {
  char letter;
  uint16_t rows;
};

constexpr Glyph kGlyphs[] = {
    {' ', 000000}, {'#', 057575}, {'(', 012221}, {')', 042224}, {'+', 002720}, {',', 000024},
    {'-', 000700}, {'.', 000002}, {'/', 011244}, {'0', 075557}, {'1', 026227}, {'2', 061247},
    {'3', 061216}, {'4', 055711}, {'5', 074616}, {'6', 034757}, {'7', 071222}, {'8', 075757},
    {'9', 075716}, {':', 002020}, {'=', 007070}, {'A', 025755}, {'B', 065656}, {'C', 034443},
    {'D', 065556}, {'E', 074647}, {'F', 074644}, {'G', 034553}, {'H', 055755}, {'I', 072227},
    {'J', 011152}, {'K', 055655}, {'L', 044447}, {'M', 057755}, {'N', 065555}, {'O', 025552},
    {'P', 065644}, {'Q', 025573}, {'R', 065655}, {'S', 034216}, {'T', 072222}, {'U', 055557},
    {'V', 055552}, {'W', 055775}, {'X', 055255}, {'Y', 055222}, {'Z', 071247}, {'_', 000007}};

constexpr uint16_t kBox = 077777;

uint16_t rows_of(char letter) {
  const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const auto* found = std::find_if(std::begin(kGlyphs), std::end(kGlyphs),
                                   [&](const Glyph& glyph) { return glyph.letter == upper; });
  return found == std::end(kGlyphs) ? kBox : found->rows;
}

void fill(const ImageView& rgb, int32_t x, int32_t y, int32_t size, uint8_t grey) {
  if (x < 0 || y < 0 || x + size > rgb.width || y + size > rgb.height) {
    return;
  }
  for (int32_t row = y; row < y + size; ++row) {
    std::memset(rgb.row(row) + static_cast<ptrdiff_t>(x) * 3, grey, static_cast<size_t>(size) * 3);
  }
}

}  // namespace

void draw_text(const ImageView& rgb, int32_t x, int32_t y, int32_t dot, uint8_t grey,
               std::string_view text) {
  for (const char letter : text) {
    const uint16_t rows = rows_of(letter);
    for (int32_t row = 0; row < kGlyphRows; ++row) {
      for (int32_t column = 0; column < 3; ++column) {
        if ((rows >> (3 * (kGlyphRows - 1 - row) + 2 - column) & 1) != 0) {
          fill(rgb, x + column * dot, y + row * dot, dot, grey);
        }
      }
    }
    x += kGlyphDots * dot;
  }
}

std::string fit_text(std::string_view text, int32_t width, int32_t dot) {
  const auto most = static_cast<size_t>(std::max(0, width / (kGlyphDots * dot)));
  if (text.size() <= most) {
    return std::string(text);
  }
  std::string end = most < 3 ? "" : "..";
  return most < 3 ? end : end.append(text.substr(text.size() - most + 2));
}

}  // namespace stoker::scan
