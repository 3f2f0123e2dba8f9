// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/json.h"

#include <nlohmann/json.hpp>

namespace stoker {
namespace {

using Tree = nlohmann::ordered_json;

// Reading a value is recursive, so a file must not be able to choose the depth.
constexpr int kDeepest = 200;

Json from_tree(const Tree& tree) {
  switch (tree.type()) {
    case Tree::value_t::boolean:
      return tree.get<bool>();
    case Tree::value_t::number_integer:
    case Tree::value_t::number_unsigned:
      return tree.get<int64_t>();
    case Tree::value_t::number_float:
      return tree.get<double>();
    case Tree::value_t::string:
      return tree.get<std::string>();
    case Tree::value_t::array: {
      Json array = Json::array();
      for (const Tree& item : tree) {
        array.push(from_tree(item));
      }
      return array;
    }
    case Tree::value_t::object: {
      Json::Object members;
      for (const auto& [key, value] : tree.items()) {
        members.emplace_back(key, from_tree(value));
      }
      return Json::object(std::move(members));
    }
    default:
      return {};
  }
}

}  // namespace

struct JsonAccess {
  static Tree to_tree(const Json& json) {
    return std::visit([](const auto& value) { return tree_of(value); }, json.value_);
  }

 private:
  static Tree tree_of(std::monostate /*null*/) { return nullptr; }
  static Tree tree_of(const Json::Array& items) {
    Tree tree = Tree::array();
    for (const Json& item : items) {
      tree.push_back(to_tree(item));
    }
    return tree;
  }
  static Tree tree_of(const Json::Object& members) {
    Tree tree = Tree::object();
    for (const auto& [key, value] : members) {
      tree[key] = to_tree(value);
    }
    return tree;
  }
  template <class T>
  static Tree tree_of(const T& value) {
    return value;
  }
};

Json Json::object(Object members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

Json Json::strings(const std::vector<std::string>& items) {
  return Array(items.begin(), items.end());
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) {
    value_ = Object();
  }
  auto& members = std::get<Object>(value_);
  for (Member& member : members) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  members.emplace_back(key, std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) {
    value_ = Array();
  }
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json kNull;
  for (const Member& member : members()) {
    if (member.first == key) {
      return member.second;
    }
  }
  return kNull;
}

const Json::Array& Json::items() const {
  static const Array kNone;
  const auto* array = std::get_if<Array>(&value_);
  return array != nullptr ? *array : kNone;
}

const Json::Object& Json::members() const {
  static const Object kNone;
  const auto* object = std::get_if<Object>(&value_);
  return object != nullptr ? *object : kNone;
}

bool Json::boolean(bool fallback) const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? *value : fallback;
}

int64_t Json::integer(int64_t fallback) const {
  const auto* value = std::get_if<int64_t>(&value_);
  return value != nullptr ? *value : fallback;
}

double Json::number(double fallback) const {
  if (const auto* whole = std::get_if<int64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  const auto* value = std::get_if<double>(&value_);
  return value != nullptr ? *value : fallback;
}

std::string Json::text(std::string_view fallback) const {
  const auto* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : std::string(fallback);
}

std::string Json::dump(int indent) const {
  return JsonAccess::to_tree(*this).dump(indent, ' ', false, Tree::error_handler_t::replace);
}

Result<Json> Json::parse(std::string_view text) {
  bool too_deep = false;
  const auto keep = [&](int depth, Tree::parse_event_t /*event*/, const Tree& /*value*/) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  try {
    const Tree tree = Tree::parse(text, keep);
    if (too_deep) {
      return Status(ErrorCode::Corrupt, "values lie too deep inside each other");
    }
    return from_tree(tree);
  } catch (const Tree::exception& error) {
    return Status(ErrorCode::Corrupt, error.what());
  }
}

}  // namespace stoker
