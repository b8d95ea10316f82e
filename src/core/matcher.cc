#include "core/matcher.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight {
namespace {

std::string_view value_of(std::span<const Attribute> attributes, std::string_view key) {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->value);
}

}  // namespace

Result<Matcher> parse_matcher(std::string_view text) {
  const size_t equals = text.find('=');
  const bool negated = equals != std::string_view::npos && equals > 0 && text[equals - 1] == '!';
  const std::string_view key = text.substr(0, negated ? equals - 1 : equals);
  if (equals == std::string_view::npos || key.empty() || text.size() > kMaxMatcherBytes) {
    return fail(fmt::format("\"{}\" picks nothing", text.substr(0, 80)),
                "write KEY=VALUE, KEY=ONE|OTHER or KEY!=VALUE");
  }
  Matcher matcher{std::string(key), {}, negated};
  std::string_view rest = text.substr(equals + 1);
  for (size_t bar = 0; bar != std::string_view::npos; rest.remove_prefix(bar + 1)) {
    bar = rest.find('|');
    matcher.values.emplace_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) break;
  }
  return matcher;
}

std::string to_string(const Matcher& matcher) {
  return fmt::format("{}{}{}", matcher.key, matcher.negated ? "!=" : "=",
                     fmt::join(matcher.values, "|"));
}

bool matches(const Matcher& matcher, std::span<const Attribute> attributes) {
  const std::string_view value = value_of(attributes, matcher.key);
  const bool found = std::ranges::find(matcher.values, value) != matcher.values.end();
  return found != matcher.negated;
}

bool matches(std::span<const Matcher> matchers, std::span<const Attribute> attributes) {
  return std::ranges::all_of(matchers,
                             [&](const Matcher& matcher) { return matches(matcher, attributes); });
}

}  // namespace warpsight
