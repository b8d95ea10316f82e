// The query of a URL.
#pragma once

#include <string>
#include <string_view>

namespace warpsight::kubernetes {

class Query {
 public:
  explicit Query(std::string path) : text_(std::move(path)) {}

  // Adds a parameter; its value may be of any bytes.
  Query& with(std::string_view name, std::string_view value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  char separator_ = '?';
};

// RFC 3986: what is not unreserved as %41.
std::string percent_encode(std::string_view text);

}  // namespace warpsight::kubernetes
