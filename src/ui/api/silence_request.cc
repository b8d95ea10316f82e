#include "ui/api/silence_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "alerts/silences.h"
#include "core/nearest.h"
#include "core/quantity.h"
#include "ui/api/time_text.h"
#include "wire/json_text.h"
#include "wire/utf8.h"

namespace warpsight {
namespace {

constexpr size_t kMaxBody = size_t{16} * 1024;
constexpr std::array<std::string_view, 3> kKeys = {"match", "for", "comment"};
constexpr std::string_view kHowToMatch =
    "give match as a list like [\"alert.name=GpuMemoryFull\", \"gpu.index=0\"]";

Result<> check_keys(const Json& top) {
  std::optional<Error> wrong;
  top.for_each_member([&](std::string_view key, const Json&) {
    if (wrong || std::ranges::find(kKeys, key) != kKeys.end()) return;
    const std::string_view meant = nearest(key, kKeys);
    wrong = Error{fmt::format("a silence has no {}", quoted(key)),
                  meant.empty() ? "there are match, for and comment"
                                : fmt::format("did you mean {}?", meant)};
  });
  if (wrong) return tl::unexpected(*std::move(wrong));
  return {};
}

// Of the form {"KEY": "VALUE"} or {"KEY": ["ONE", "OTHER"]}.
Result<Matcher> matcher_of(std::string_view key, const Json& value) {
  Matcher matcher{std::string(key), {}};
  size_t bytes = key.size();
  auto add = [&](const Json& item) {
    bytes += item.text().size();
    matcher.values.emplace_back(item.text());
  };
  if (value.is_array()) {
    value.for_each(add);
  } else {
    add(value);
  }
  const bool blank = std::ranges::any_of(matcher.values, &std::string::empty);
  if (blank || matcher.values.empty() || key.empty() || bytes > kMaxMatcherBytes) {
    return fail(fmt::format("{} in match picks nothing", quoted(key)),
                "give a string, or a list of strings, for each attribute");
  }
  return matcher;
}

Result<std::vector<Matcher>> parse_matchers(const Json& match) {
  std::vector<Matcher> matchers;
  std::optional<Error> wrong;
  const auto note = [&](Error error) { wrong = std::move(error); };
  match.for_each([&](const Json& item) {
    if (wrong) return;
    if (auto taken = take_matcher(matchers, item.text()); !taken) note(taken.error());
  });
  match.for_each_member([&](std::string_view key, const Json& value) {
    if (wrong) return;
    auto matcher = matcher_of(key, value);
    if (!matcher) return note(matcher.error());
    if (matchers.size() == kMaxMatchers) {
      return note({fmt::format("more than {} matchers", kMaxMatchers), "make several silences"});
    }
    matchers.push_back(*std::move(matcher));
  });
  if (wrong) return tl::unexpected(*std::move(wrong));
  if (matchers.empty()) return fail("a silence needs something to match", std::string(kHowToMatch));
  return matchers;
}

Result<Duration> parse_for(const Json& json) {
  if (!json.exists()) return fail("a silence needs an end", "give for in seconds, or like \"2h\"");
  const auto seconds = json.integer();
  const auto lasts =
      parse_seconds_or_duration(seconds ? std::to_string(*seconds) : std::string(json.text()));
  if (!lasts || *lasts <= Duration::zero() || *lasts > alerts::kLongestSilence) {
    return fail("for is not a time that a silence can last",
                fmt::format("give seconds, or like \"2h\", up to {}",
                            format_duration(alerts::kLongestSilence)));
  }
  return *lasts;
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); text.remove_prefix(next_utf8(text).size)) ++count;
  return count;
}

}  // namespace

Result<SilenceRequest> parse_silence_request(std::string_view body) {
  JsonText text(kMaxBody);
  const auto top = text.parse(body);
  if (!top || !top->is_object()) {
    return fail(top ? "the body is not a JSON object" : "the body is " + top.error().message,
                "send {\"match\": [\"alert.name=NAME\"], \"for\": 7200, \"comment\": \"why\"}");
  }
  if (auto known = check_keys(*top); !known) return tl::unexpected(std::move(known).error());
  SilenceRequest request;
  auto matchers = parse_matchers((*top)["match"]);
  if (!matchers) return tl::unexpected(std::move(matchers).error());
  request.matchers = *std::move(matchers);
  const auto lasts = parse_for((*top)["for"]);
  if (!lasts) return tl::unexpected(lasts.error());
  request.lasts = *lasts;
  const Json comment = (*top)["comment"];
  if (comment.is_array() || comment.is_object() || comment.boolean() || comment.number()) {
    return fail("comment is not a string", "say in a sentence why this is silenced");
  }
  request.comment = comment.text();
  if (characters(request.comment) > kMaxSilenceComment) {
    return fail("the comment is too long",
                fmt::format("give {} characters at most", kMaxSilenceComment));
  }
  return request;
}

Result<std::string> parse_silence_id(const Parameters& parameters) {
  static constexpr ParameterRule<std::string> kRules[] = {
      {"id", false, [](std::string& id, std::string_view value) -> Result<> {
         id = value;
         return {};
       }}};
  std::string id;
  if (auto taken = take_parameters(parameters, kRules, id); !taken) {
    return tl::unexpected(std::move(taken).error());
  }
  if (id.empty()) return fail("no silence is named", "give its id, like ?id=s1");
  return id;
}

}  // namespace warpsight
