// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/pillow.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace stoker::cli {
namespace {

constexpr int kAnswerTimeoutMs = 120'000;

constexpr std::array<uint8_t, 256> base64_values() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> values{};
  for (size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<uint8_t>(kDigits[i])] = static_cast<uint8_t>(i);
  }
  return values;
}

// Standard base64 (RFC 4648) of what Python's b64encode() gave.
void decode_base64(const std::string& text, std::vector<uint8_t>& out) {
  constexpr std::array<uint8_t, 256> kValues = base64_values();
  out.clear();
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    if (digit == '=') {
      break;
    }
    bits = bits << 6 | kValues[static_cast<uint8_t>(digit)];
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<uint8_t>(bits >> count));
    }
  }
}

scan::ImageFacts facts_of(const Json& answer) {
  scan::ImageFacts facts;
  facts.width = static_cast<int32_t>(answer["width"].integer());
  facts.height = static_cast<int32_t>(answer["height"].integer());
  facts.channels = static_cast<int32_t>(answer["channels"].integer());
  facts.progressive = answer["progressive"].boolean();
  const Json::Array& values = answer["values"].items();
  const Json::Array& squares = answer["squares"].items();
  if (values.size() == 3 && squares.size() == 3) {
    facts.sums.pixels = static_cast<uint64_t>(facts.width) * static_cast<uint64_t>(facts.height);
    for (size_t channel = 0; channel < 3; ++channel) {
      facts.sums.values[channel] = static_cast<uint64_t>(values[channel].integer());
      facts.sums.squares[channel] = static_cast<uint64_t>(squares[channel].integer());
    }
  }
  return facts;
}

}  // namespace

Result<std::unique_ptr<Pillow>> Pillow::start() {
  Result<std::unique_ptr<PythonScript>> script = PythonScript::start("pillow_server.py", {});
  if (!script.ok()) {
    return script.status();
  }
  return std::unique_ptr<Pillow>(new Pillow(std::move(*script)));
}

Result<Json> Pillow::ask(const char* kind, codec::Bytes file) {
  LineProcess& process = script_->process();
  Status sent = process.write_line(fmt::format("{} {}", kind, file.size()));
  if (sent.ok()) {
    sent = process.write(file);
  }
  Result<Json> answer = sent.ok() ? script_->read_answer(kAnswerTimeoutMs) : Result<Json>(sent);
  if (!answer.ok()) {
    return Status(ErrorCode::Internal, answer.status().message());
  }
  if (!(*answer)["broken"].is_null()) {
    return Status(ErrorCode::Corrupt, (*answer)["broken"].text());
  }
  return answer;
}

Result<scan::ImageFacts> Pillow::judge(codec::Bytes file, bool with_sums) {
  const Result<Json> answer = ask(with_sums ? "sums" : "judge", file);
  return answer.ok() ? Result<scan::ImageFacts>(facts_of(*answer)) : answer.status();
}

Result<scan::ImageFacts> Pillow::decode(codec::Bytes file, std::vector<uint8_t>& rgb) {
  const Result<Json> answer = ask("pixels", file);
  if (!answer.ok()) {
    return answer.status();
  }
  const scan::ImageFacts facts = facts_of(*answer);
  decode_base64((*answer)["rgb"].text(), rgb);
  if (rgb.size() != 3 * static_cast<size_t>(facts.width) * static_cast<size_t>(facts.height)) {
    return Status(ErrorCode::Internal, "Pillow's answer has another size than its image");
  }
  return facts;
}

}  // namespace stoker::cli
