// JSON texts compared as documents, in tests: the order of keys says nothing.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::test {

inline std::string canonical(const simdjson::dom::element& value) {
  simdjson::dom::object object;
  simdjson::dom::array array;
  std::string out;
  if (value.get(object) == simdjson::SUCCESS) {
    std::map<std::string, std::string> members;
    for (const auto& [key, member] : object) {
      if (!members.emplace(key, canonical(member)).second) return "a key stands twice";
    }
    for (const auto& [key, member] : members) {
      out += (out.empty() ? "{\"" : ", \"") + key + "\": " + member;
    }
    return out.empty() ? "{}" : out + "}";
  }
  if (value.get(array) == simdjson::SUCCESS) {
    for (const auto item : array) out += (out.empty() ? "[" : ", ") + canonical(item);
    return out.empty() ? "[]" : out + "]";
  }
  // A whole number is the same with and without a fraction.
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  return simdjson::minify(value);
}

// The part of a document that a JSON pointer ("/gpus/0/values") names, in a form that is the same
// for the same content; "" is the whole. What is no JSON, or not there, is told in words.
inline std::string part(std::string_view text, std::string_view pointer = "") {
  simdjson::dom::parser parser;
  simdjson::dom::element top;
  if (parser.parse(text.data(), text.size()).get(top) != simdjson::SUCCESS) return "not JSON";
  simdjson::dom::element found;
  if (top.at_pointer(pointer).get(found) != simdjson::SUCCESS) return "nothing";
  return canonical(found);
}

}  // namespace warpsight::test
