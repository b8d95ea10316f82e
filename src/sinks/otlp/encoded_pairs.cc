#include "sinks/otlp/encoded_pairs.h"

#include <algorithm>
#include <charconv>

#include "core/catalogue.h"

namespace warpsight::otlp {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const size_t last = text.find_last_not_of(kBlanks);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned char byte = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    if (digits.size() != 2 || !whole) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

}  // namespace

std::optional<Pairs> parse_encoded_pairs(std::string_view text) {
  Pairs pairs;
  bool sound = true;
  for_each_token(text, ',', [&](std::string_view token) {
    const std::string_view pair = trimmed(token);
    if (pair.empty()) return;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto key = decoded(trimmed(pair.substr(0, equals)));
    if (equals == pair.size() || !key || key->empty()) {
      sound = false;
      return;
    }
    auto value = decoded(trimmed(pair.substr(equals + 1)));
    if (!value) {
      sound = false;
      return;
    }
    const auto known = std::ranges::find(pairs, *key, &Pairs::value_type::first);
    if (known == pairs.end()) {
      pairs.emplace_back(std::move(*key), std::move(*value));
    } else {
      known->second = std::move(*value);
    }
  });
  if (!sound) return std::nullopt;
  return pairs;
}

}  // namespace warpsight::otlp
