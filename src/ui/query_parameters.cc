#include "ui/query_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/utf8.h"

namespace warpsight {
namespace {

constexpr std::string_view kHint =
    "write what is not a letter or a digit as % and two hexadecimal digits";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) {
  const bool control = (c >= 0 && c < ' ') || c == '\x7f';
  return control && c != '\n' && c != '\r' && c != '\t';
}

bool is_text(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return false;
  while (!text.empty()) {
    const Utf8Part part = next_utf8(text);
    if (!part.valid) return false;
    text.remove_prefix(part.size);
  }
  return true;
}

Result<std::string> decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) return fail("the query has a % that encodes nothing", std::string(kHint));
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!is_text(out)) return fail("the query is not UTF-8 text", std::string(kHint));
  return out;
}

}  // namespace

Result<QueryParameters> parse_query(std::string_view query) {
  if (query.size() > kMaxQuery) {
    return fail(fmt::format("the query is longer than {} bytes", kMaxQuery), "ask for less");
  }
  QueryParameters parameters;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    if (parameters.size() == kMaxParameters) {
      return fail(fmt::format("the query has more than {} parameters", kMaxParameters),
                  "ask for less");
    }
    const size_t sign = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, sign));
    if (!name) return tl::unexpected(std::move(name.error()));
    auto value = decode(pair.substr(std::min(sign + 1, pair.size())));
    if (!value) return tl::unexpected(std::move(value.error()));
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

}  // namespace warpsight
