// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/transform_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "stoker/core/error.h"

namespace stoker::pipeline {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
         c == '+';
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A value without its quotes and brackets.
struct Value {
  std::string text;
  bool none = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<TransformSpec> run() {
    std::vector<TransformSpec> specs;
    do {
      specs.push_back(transform());
    } while (take(',') || take('|'));
    if (!at_end()) {
      fail("',' or '|' before the next transform");
    }
    return specs;
  }

 private:
  TransformSpec transform() {
    TransformSpec spec;
    const std::string word = plain_word("the name of a transform");
    spec.name = word.substr(word.rfind('.') + 1);
    const ParamSchema schema = find_transform(spec.name).params;
    if (!take('(')) {
      return spec;
    }
    for (size_t position = 0; !take(')'); ++position) {
      if (position > 0 && !take(',')) {
        fail("',' or ')'");
      }
      if (position > 0 && take(')')) {
        break;
      }
      argument(schema, position, spec);
    }
    return spec;
  }

  void argument(const ParamSchema& schema, size_t position, TransformSpec& spec) {
    std::string name = leading_name();
    if (name.empty()) {
      if (position >= schema.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} has {} parameters, and more values are given", spec.name,
                                schema.size()),
                    kHint);
      }
      name = schema[position].name;
    }
    const Value given = value();
    if (!given.none && !spec.params.emplace(name, given.text).second) {
      throw Error(ErrorCode::InvalidArgument, fmt::format("{}: {} is given twice", spec.name, name),
                  kHint);
    }
  }

  // "name" of "name = value", or nothing.
  std::string leading_name() {
    skip_spaces();
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) {
      ++end;
    }
    size_t equals = end;
    while (equals < text_.size() && is_space(text_[equals])) {
      ++equals;
    }
    if (end == at_ || equals >= text_.size() || text_[equals] != '=') {
      return "";
    }
    std::string name(text_.substr(at_, end - at_));
    at_ = equals + 1;
    return name;
  }

  Value value() {
    for (const auto& [open, close] : {std::pair('(', ')'), std::pair('[', ']')}) {
      if (take(open)) {
        return list(close);
      }
    }
    for (const char quote : {'\'', '"'}) {
      if (take(quote)) {
        return {quoted(quote)};
      }
    }
    const std::string word = plain_word("a value");
    if (word == "None") {
      return {"", true};
    }
    const bool number = std::isalpha(static_cast<unsigned char>(word[0])) == 0 && word[0] != '_';
    return {number ? word : lower(word.substr(word.rfind('.') + 1))};
  }

  Value list(char close) {
    std::string items;
    while (!take(close)) {
      if (!items.empty() && !take(',')) {
        fail(fmt::format("',' or '{}'", close));
      }
      if (!items.empty() && take(close)) {
        break;
      }
      if (!items.empty()) {
        items += ',';
      }
      items += value().text;
    }
    return {items};
  }

  std::string quoted(char quote) {
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      fail(fmt::format("a closing {}", quote));
    }
    std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    return word;
  }

  std::string plain_word(const std::string& expected) {
    skip_spaces();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    if (at_ == begin) {
      fail(expected);
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_spaces();
    const bool here = at_ < text_.size() && text_[at_] == c;
    at_ += here ? 1 : 0;
    return here;
  }
  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }
  [[noreturn]] void fail(const std::string& expected) {
    throw Error(ErrorCode::InvalidArgument,
                at_end() ? fmt::format("transforms end where {} is expected", expected)
                         : fmt::format("transforms have '{}' where {} is expected",
                                       text_.substr(at_, 20), expected),
                kHint);
  }

  static constexpr const char* kHint =
      "write them as \"RandomResizedCrop(size=224), RandomHorizontalFlip()\"; "
      "`stoker list transforms` has their names and parameters";

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<TransformSpec> parse_transforms(std::string_view text) {
  return Parser(text).run();
}

std::string transforms_text(const std::vector<TransformSpec>& specs) {
  std::string text;
  for (const TransformSpec& spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.name + "(";
    bool first = true;
    for (const auto& [name, value] : spec.params) {
      const bool list = value.find(',') != std::string::npos;
      text += fmt::format("{}{}={}", first ? "" : ", ", name,
                          list ? fmt::format("({})", value) : value);
      first = false;
    }
    text += ")";
  }
  return text;
}

}  // namespace stoker::pipeline
