// Answers of real servers, as recorded.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "tests/places.h"
#include "wire/json_text.h"

namespace warpsight::kubernetes::test {

inline std::string recording(const std::string& name) {
  std::ifstream file(std::string(WARPSIGHT_SOURCE_DIR "/tests/data/kubernetes/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Parsed, with the memory that its values lie in.
class Parsed {
 public:
  explicit Parsed(const std::string& text) : top_(text_.parse(text).value()) {}
  const Json* operator->() const { return &top_; }
  const Json& operator*() const { return top_; }

 private:
  JsonText text_;
  Json top_;
};

}  // namespace warpsight::kubernetes::test
