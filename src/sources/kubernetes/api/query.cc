#include "sources/kubernetes/api/query.h"

namespace warpsight::kubernetes {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 0xFU];
  }
  return encoded;
}

Query& Query::with(std::string_view name, std::string_view value) {
  text_ += separator_;
  separator_ = '&';
  text_ += name;
  text_ += '=';
  text_ += percent_encode(value);
  return *this;
}

}  // namespace warpsight::kubernetes
