#include "sinks/otlp/answer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "net/foreign_text.h"

namespace warpsight::otlp {
namespace {

constexpr size_t kQuoted = 300;
constexpr size_t kSearched = 16384;

// As Prometheus, Mimir, Cortex and Thanos put it, dashes or not.
constexpr std::array<std::string_view, 5> kAboutAge = {"too old", "out of bounds", "out of order",
                                                       "duplicate sample", "too far in the past"};

char plain(char c) {
  if (c == '-' || c == '_') return ' ';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_about_age(std::string_view words) {
  std::string text(words.substr(0, kSearched));
  std::ranges::transform(text, text.begin(), plain);
  return std::ranges::any_of(
      kAboutAge, [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

}  // namespace

Answer taken(const std::optional<PartialSuccess>& response) {
  Delivery delivery;
  if (!response) {
    delivery.reason = "bad_response";
    delivery.words = "the peer took it, with an answer that is not OTLP; is the endpoint right?";
  } else if (response->rejected > 0 || !response->words.empty()) {
    delivery.rejected = response->rejected;
    delivery.reason = "partial_success";
    delivery.words = printable_beginning(response->words, kQuoted);
  }
  return {.delivery = std::move(delivery)};
}

Answer not_taken(Delivery delivery, std::string_view words) {
  const bool for_age = delivery.outcome == Delivery::Outcome::refused && is_about_age(words);
  return {.delivery = std::move(delivery), .for_age = for_age};
}

}  // namespace warpsight::otlp
