#include "sources/engines/pages/raw_names.h"

#include <algorithm>

#include "sources/engines/pages/table_names.h"

namespace warpsight::engines {
namespace {

using prometheus_text::FamilyType;

constexpr std::string_view kCreated = "_created";

std::span<const std::string_view> suffixes_of(FamilyType type) {
  static constexpr std::string_view kCounter[] = {"", "_total", kCreated};
  static constexpr std::string_view kHistogram[] = {"_bucket", "_sum", "_count", kCreated};
  static constexpr std::string_view kSummary[] = {"", "_sum", "_count", kCreated};
  switch (type) {
    case FamilyType::counter: return kCounter;
    case FamilyType::histogram: return kHistogram;
    case FamilyType::summary: return kSummary;
    default: return {};
  }
}

// A counter's family is named with its suffix in the classic format.
std::string_view base_of(std::string_view family, FamilyType type) {
  return type == FamilyType::counter ? without_total(family) : family;
}

Part histogram_part(std::string_view suffix) {
  if (suffix == "_bucket") return Part::bucket;
  return suffix == "_sum" ? Part::sum : Part::count;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  size_t at = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  size_t in = 0;
  while (in < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = in;
    } else if (at < pattern.size() && pattern[at] == text[in]) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

void RawNames::meet(SeriesId id, std::string_view name) {
  if (facts_.size() <= id) facts_.resize(id + size_t{1});
  facts_[id] = {FamilyType::unknown, static_cast<uint32_t>(name.size())};
  std::string_view family = type_line_.family;
  if (type_line_.type == FamilyType::counter && name.starts_with(without_total(family))) {
    family = without_total(family);
  }
  if (family.empty() || !name.starts_with(family)) return;
  const auto suffixes = suffixes_of(type_line_.type);
  if (std::ranges::find(suffixes, name.substr(family.size())) == suffixes.end()) return;
  facts_[id] = {type_line_.type, static_cast<uint32_t>(family.size())};
}

void RawNames::clear() {
  cumulative_.clear();
  refused_ = 0;
}

void RawNames::learn(SeriesId id, std::string_view name) {
  const Facts& facts = facts_[id];
  if (facts.type == FamilyType::unknown) return;
  cumulative_.emplace(base_of(name.substr(0, facts.family), facts.type), facts.type);
}

std::optional<RawMeaning> RawNames::meaning(SeriesId id, std::string_view name) {
  const auto& [type, size] = facts_[id];
  const std::string_view family = base_of(name.substr(0, size), type);
  if (!wanted(name, family)) return std::nullopt;

  if (name.ends_with(kCreated)) {
    const auto owner = cumulative_.find(name.substr(0, name.size() - kCreated.size()));
    if (owner != cumulative_.end()) {
      const bool histogram = owner->second == FamilyType::histogram;
      if (owner->second == FamilyType::summary) return std::nullopt;
      return declare(owner->first, histogram ? MetricKind::histogram : MetricKind::counter,
                     Part::created);
    }
  }
  const std::string_view suffix = name.substr(std::min(name.size(), size_t{size}));
  switch (type) {
    case FamilyType::counter: return declare(family, MetricKind::counter, Part::value);
    case FamilyType::histogram:
      return declare(family, MetricKind::histogram, histogram_part(suffix));
    case FamilyType::summary:
      return declare(name, suffix.empty() ? MetricKind::gauge : MetricKind::counter, Part::value);
    default: return declare(name, MetricKind::gauge, Part::value);
  }
}

bool RawNames::wanted(std::string_view name, std::string_view family) const {
  const auto listed = [&](const std::vector<std::string>& patterns) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
      return matches_pattern(pattern, name) || matches_pattern(pattern, family);
    });
  };
  return !listed(deny_) && (allow_.empty() || listed(allow_));
}

std::optional<RawMeaning> RawNames::declare(std::string_view name, MetricKind kind, Part part) {
  if (declared_.size() >= kMaxNames && !declared_.contains(name)) {
    ++refused_;
    return std::nullopt;
  }
  AddedRow added;
  added.name = name;
  added.kind = kind;
  added.writers = "scrape";
  added.meaning = "as the scraped page has it";
  const auto metric = add_metric(added);
  if (!metric) {
    ++refused_;
    return std::nullopt;
  }
  declared_.emplace(name);
  return RawMeaning{*metric, kind, part};
}

}  // namespace warpsight::engines
