// What a request says after its '?', or a command line in its options, read by a table of names.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/matcher.h"
#include "core/result.h"

namespace warpsight {

using Parameters = std::vector<std::pair<std::string, std::string>>;

template <typename Request>
struct ParameterRule {
  std::string_view name;
  bool several;  // may be given more than once
  Result<> (*take)(Request& request, std::string_view value);
};

tl::unexpected<Error> unknown_parameter(std::string_view name,
                                        std::span<const std::string_view> known);
tl::unexpected<Error> repeated_parameter(std::string_view name);

// `text` shortened to what a message can bear, in quotes.
std::string quoted(std::string_view text);

// Gives each value to its rule, in order. The first that is wrong is the error.
template <typename Request, size_t kRules>
Result<> take_parameters(const Parameters& parameters,
                         const ParameterRule<Request> (&rules)[kRules], Request& request) {
  std::array<std::string_view, kRules> names;
  std::ranges::transform(rules, names.begin(), &ParameterRule<Request>::name);
  std::array<bool, kRules> seen{};
  for (const auto& [name, value] : parameters) {
    const auto place =
        static_cast<size_t>(std::ranges::find(names, std::string_view(name)) - names.begin());
    if (place == kRules) return unknown_parameter(name, names);
    if (std::exchange(seen[place], true) && !rules[place].several) return repeated_parameter(name);
    if (auto taken = rules[place].take(request, value); !taken) return taken;
  }
  return {};
}

inline constexpr size_t kMaxMatchers = 20;

Result<> take_matcher(std::vector<Matcher>& matchers, std::string_view text);

// A whole number from 1 to `most`.
Result<size_t> parse_limit(std::string_view text, size_t most);

}  // namespace warpsight
