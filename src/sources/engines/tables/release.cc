#include "sources/engines/tables/release.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace warpsight::engines {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A part of a release: a word and the number after it; ".4" has no word. Ordered as they follow
// each other: 1.0rc1, 1.0, 1.0.post1, 1.0.1.
struct Part {
  enum class Word : uint8_t { early, none, post, number };
  Word word = Word::none;
  uint64_t number = 0;

  friend auto operator<=>(const Part&, const Part&) = default;
};

class Parts {
 public:
  explicit Parts(std::string_view release)
      : rest_(release.substr(std::min(release.find_first_of(kDigits), release.size()))) {}

  bool done() const { return rest_.empty(); }

  Part next() {
    const size_t word_end = std::min(rest_.find_first_of(kDigits), rest_.size());
    const std::string_view word = rest_.substr(0, word_end);
    rest_.remove_prefix(word_end);
    Part part{.word = meaning(word)};
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), part.number);
    if (error == std::errc::result_out_of_range) part.number = UINT64_MAX;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return part;
  }

 private:
  static Part::Word meaning(std::string_view word) {
    constexpr std::array<std::string_view, 6> kEarly = {"rc", "alpha", "beta", "dev", "a", "b"};
    while (!word.empty() && (word.front() == '.' || word.front() == '-')) word.remove_prefix(1);
    if (word.empty()) return Part::Word::number;
    return std::ranges::find(kEarly, word) != kEarly.end() ? Part::Word::early : Part::Word::post;
  }

  std::string_view rest_;
};

}  // namespace

std::weak_ordering compare_releases(std::string_view a, std::string_view b) {
  Parts left(a);
  Parts right(b);
  while (!left.done() || !right.done()) {
    const Part l = left.done() ? Part{} : left.next();
    const Part r = right.done() ? Part{} : right.next();
    // A missing ".0" is the same release.
    const auto zero = [](const Part& part) {
      return part.word == Part::Word::number && part.number == 0 ? Part{} : part;
    };
    const auto order = zero(l) <=> zero(r);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace warpsight::engines
