#include "ui/api/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/nearest.h"

namespace warpsight {

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 80;
  return fmt::format("\"{}{}\"", text.substr(0, kLongest), text.size() > kLongest ? "..." : "");
}

tl::unexpected<Error> unknown_parameter(std::string_view name,
                                        std::span<const std::string_view> known) {
  const std::string_view meant = nearest(name, known);
  return fail(fmt::format("there is no parameter {}", quoted(name)),
              meant.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                            : fmt::format("did you mean {}?", meant));
}

tl::unexpected<Error> repeated_parameter(std::string_view name) {
  return fail(fmt::format("{} is given more than once", name), "give it once");
}

Result<> take_matcher(std::vector<Matcher>& matchers, std::string_view text) {
  if (matchers.size() == kMaxMatchers) {
    return fail(fmt::format("more than {} matchers", kMaxMatchers),
                "put values of one attribute into one: KEY=ONE|OTHER");
  }
  auto matcher = parse_matcher(text);
  if (!matcher) return tl::unexpected(std::move(matcher).error());
  matchers.push_back(*std::move(matcher));
  return {};
}

Result<size_t> parse_limit(std::string_view text, size_t most) {
  size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > most) {
    return fail(fmt::format("limit {} is not one that can be had", quoted(text)),
                fmt::format("give a whole number from 1 to {}", most));
  }
  return limit;
}

}  // namespace warpsight
