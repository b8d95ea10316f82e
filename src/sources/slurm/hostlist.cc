#include "sources/slurm/hostlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sources/sysfs/text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kLongestList = size_t{1} << 20;
constexpr size_t kLongestName = 1024;
constexpr size_t kMaxParts = 32;
constexpr size_t kMaxDigits = 18;
constexpr uint64_t kEndless = std::numeric_limits<uint64_t>::max();

uint64_t add(uint64_t a, uint64_t b) { return a > kEndless - b ? kEndless : a + b; }
uint64_t multiply(uint64_t a, uint64_t b) { return b != 0 && a > kEndless / b ? kEndless : a * b; }

// "001-004" or "220": numbers written with at least `width` digits.
struct Range {
  uint64_t low;
  uint64_t high;
  size_t width;

  uint64_t size() const { return high - low + 1; }
};

// A literal, and the bracket after it; the last part of a pattern may have none.
struct Part {
  std::string_view literal;
  std::vector<Range> ranges;

  uint64_t size() const {
    uint64_t sum = 0;
    for (const Range& range : ranges) sum = add(sum, range.size());
    return ranges.empty() ? 1 : sum;
  }
};

// What stands between two commas outside brackets.
using Pattern = std::vector<Part>;

uint64_t size_of(const Pattern& pattern) {
  uint64_t product = 1;
  for (const Part& part : pattern) product = multiply(product, part.size());
  return product;
}

std::optional<uint64_t> to_count(std::string_view digits) {
  if (digits.size() > kMaxDigits) return std::nullopt;
  return to_number<uint64_t>(digits);
}

std::optional<std::vector<Range>> parse_bracket(std::string_view text) {
  std::vector<Range> ranges;
  for (;;) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const size_t dash = item.find('-');
    const std::string_view first = item.substr(0, dash);
    const auto low = to_count(first);
    const auto high = dash == std::string_view::npos ? low : to_count(item.substr(dash + 1));
    if (!low || !high || *high < *low) return std::nullopt;
    ranges.push_back({*low, *high, first.size()});
    if (comma == std::string_view::npos) return ranges;
    text.remove_prefix(comma + 1);
  }
}

// Takes the first pattern and the comma after it off `text`.
std::optional<Pattern> take_pattern(std::string_view& text) {
  Pattern pattern;
  for (;;) {
    const size_t stop = std::min(text.find_first_of("[],"), text.size());
    Part part{.literal = text.substr(0, stop), .ranges = {}};
    text.remove_prefix(stop);
    const char met = text.empty() ? '\0' : text.front();
    if (met == ']' || pattern.size() == kMaxParts) return std::nullopt;
    if (met != '[') {
      if (part.literal.empty() && pattern.empty()) return std::nullopt;
      pattern.push_back(std::move(part));
      return pattern;
    }
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    auto ranges = parse_bracket(text.substr(1, close - 1));
    if (!ranges) return std::nullopt;
    part.ranges = std::move(*ranges);
    pattern.push_back(std::move(part));
    text.remove_prefix(close + 1);
  }
}

std::optional<std::vector<Pattern>> parse(std::string_view list) {
  list = trim(list);
  if (list.size() > kLongestList) return std::nullopt;
  std::vector<Pattern> patterns;
  while (!list.empty()) {
    auto pattern = take_pattern(list);
    if (!pattern) return std::nullopt;
    patterns.push_back(std::move(*pattern));
    if (list.empty()) break;
    list.remove_prefix(1);
    if (list.empty()) return std::nullopt;
  }
  return patterns;
}

// The place of a number, as written, among those of a bracket.
std::optional<uint64_t> position_in_bracket(const std::vector<Range>& ranges,
                                            std::string_view digits) {
  const auto value = to_count(digits);
  if (!value) return std::nullopt;
  const size_t shortest = std::to_string(*value).size();
  uint64_t before = 0;
  for (const Range& range : ranges) {
    if (*value >= range.low && *value <= range.high &&
        digits.size() == std::max(shortest, range.width)) {
      return add(before, *value - range.low);
    }
    before = add(before, range.size());
  }
  return std::nullopt;
}

// Finds a name among those a pattern stands for. Where two brackets meet, the name's digits may
// be cut in several ways; each way is tried once.
class Matcher {
 public:
  Matcher(const Pattern& pattern, std::string_view name)
      : pattern_(pattern), name_(name), failed_(pattern.size() * (name.size() + 1)) {}

  std::optional<uint64_t> match() { return match(0, 0); }

 private:
  std::optional<uint64_t> match(size_t index, size_t offset) {
    if (index == pattern_.size()) {
      return offset == name_.size() ? std::optional<uint64_t>(0) : std::nullopt;
    }
    const size_t state = index * (name_.size() + 1) + offset;
    if (failed_[state]) return std::nullopt;
    const auto found = match_part(index, offset);
    failed_[state] = !found;
    return found;
  }

  std::optional<uint64_t> match_part(size_t index, size_t offset) {
    const Part& part = pattern_[index];
    if (!name_.substr(offset).starts_with(part.literal)) return std::nullopt;
    offset += part.literal.size();
    if (part.ranges.empty()) return match(index + 1, offset);
    uint64_t after = 1;
    for (size_t later = index + 1; later < pattern_.size(); ++later) {
      after = multiply(after, pattern_[later].size());
    }
    for (size_t digits = 1; digits <= kMaxDigits && offset + digits <= name_.size(); ++digits) {
      const auto here = position_in_bracket(part.ranges, name_.substr(offset, digits));
      if (!here) continue;
      if (const auto rest = match(index + 1, offset + digits)) {
        return add(multiply(*here, after), *rest);
      }
    }
    return std::nullopt;
  }

  const Pattern& pattern_;
  std::string_view name_;
  std::vector<bool> failed_;
};

void expand(const Pattern& pattern, size_t index, const std::string& prefix,
            std::vector<std::string>& out) {
  if (index == pattern.size()) {
    out.push_back(prefix);
    return;
  }
  const Part& part = pattern[index];
  const std::string begun = prefix + std::string(part.literal);
  if (part.ranges.empty()) return expand(pattern, index + 1, begun, out);
  for (const Range& range : part.ranges) {
    for (uint64_t value = range.low; value <= range.high; ++value) {
      expand(pattern, index + 1, fmt::format("{}{:0{}}", begun, value, range.width), out);
    }
  }
}

}  // namespace

std::optional<uint64_t> position_in_hostlist(std::string_view list, std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  const auto patterns = parse(list);
  if (!patterns) return std::nullopt;
  uint64_t before = 0;
  for (const Pattern& pattern : *patterns) {
    if (const auto found = Matcher(pattern, name).match()) return add(before, *found);
    before = add(before, size_of(pattern));
  }
  return std::nullopt;
}

Result<std::vector<std::string>> expand_hostlist(std::string_view list, size_t limit) {
  const auto patterns = parse(list);
  if (!patterns) return fail("malformed list of names");
  uint64_t total = 0;
  size_t longest = 0;
  for (const Pattern& pattern : *patterns) {
    total = add(total, size_of(pattern));
    size_t length = 0;
    for (const Part& part : pattern) length += part.literal.size() + kMaxDigits;
    longest = std::max(longest, length);
  }
  if (total > limit || longest > kLongestName + kMaxParts * kMaxDigits) {
    return fail(fmt::format("a list of more than {} names", limit));
  }
  std::vector<std::string> names;
  for (const Pattern& pattern : *patterns) expand(pattern, 0, {}, names);
  return names;
}

}  // namespace warpsight::slurm
