#include "alerts/silences.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/quantity.h"

namespace warpsight::alerts {
namespace {

constexpr size_t kMaxComment = 1024;
constexpr size_t kMaxMatchers = 32;

bool covers_one(const Matcher& matcher, const Alert& alert) {
  const bool by_name = matcher.key == "alert.name";
  if (!by_name && matcher.key != "severity") return matches(matcher, alert.attributes);
  const Attribute own{matcher.key, by_name ? alert.rule : std::string(to_string(alert.severity))};
  return matches(matcher, std::span(&own, 1));
}

// "s12" is 12; anything else 0.
uint64_t number_of(std::string_view id) {
  uint64_t number = 0;
  if (id.starts_with('s')) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return number;
}

}  // namespace

Result<Silence> Silences::add(std::vector<Matcher> matchers, Time until, std::string comment,
                              Time now) {
  if (matchers.empty() || matchers.size() > kMaxMatchers) {
    return fail(fmt::format("a silence has 1 to {} matchers", kMaxMatchers),
                "add one, such as alert.name=GpuHot");
  }
  if (until <= now) return fail("the silence would be over already", "give a time to come");
  if (until - now > kLongestSilence) {
    return fail(fmt::format("a silence lasts {} at most", format_duration(kLongestSilence)),
                "give a shorter time; switch a rule off that nobody wants (docs/alerts.md)");
  }
  if (comment.size() > kMaxComment) {
    return fail(fmt::format("the comment is longer than {} bytes", kMaxComment), "shorten it");
  }
  std::erase_if(silences_, [&](const Silence& s) { return s.until <= now; });
  if (silences_.size() >= kMaxSilences) {
    return fail(fmt::format("there are {} silences already", kMaxSilences),
                "remove some, or silence more with one");
  }
  silences_.push_back(
      {fmt::format("s{}", ++last_number_), std::move(matchers), now, until, std::move(comment)});
  ++version_;
  return silences_.back();
}

bool Silences::remove(std::string_view id) {
  const auto found = std::ranges::find(silences_, id, &Silence::id);
  if (found == silences_.end()) return false;
  silences_.erase(found);
  ++version_;
  return true;
}

void Silences::restore(Silence silence) {
  if (silences_.size() >= kMaxSilences || silence.matchers.empty()) return;
  last_number_ = std::max(last_number_, number_of(silence.id));
  silences_.push_back(std::move(silence));
}

std::vector<Silence> Silences::active(Time now) const {
  std::vector<Silence> out;
  std::ranges::copy_if(silences_, std::back_inserter(out),
                       [&](const Silence& s) { return s.until > now; });
  return out;
}

bool Silences::covers(const Alert& alert, Time now) const {
  return std::ranges::any_of(silences_, [&](const Silence& silence) {
    return silence.until > now && std::ranges::all_of(silence.matchers, [&](const Matcher& m) {
             return covers_one(m, alert);
           });
  });
}

}  // namespace warpsight::alerts
