#include "sinks/otlp/age_sieve.h"

#include <utility>
#include <vector>

#include "wire/otlp/metrics_slices.h"

namespace warpsight::otlp {
namespace {

struct Range {
  size_t first;
  size_t last;
  size_t size() const { return last - first; }
};

// The first half is taken next, so that one refused point is found soon.
void push_halves(std::vector<Range>& todo, Range range) {
  const size_t middle = range.first + range.size() / 2;
  todo.push_back({middle, range.last});
  todo.push_back({range.first, middle});
}

}  // namespace

Delivery send_sieved(std::string_view request, Answer first,
                     const std::function<Answer(std::string_view)>& send) {
  const auto slices = MetricsSlices::of(request);
  if (!slices || slices->points() == 0) return std::move(first.delivery);
  Delivery whole{.reason = "too_old", .words = std::move(first.delivery.words)};
  std::vector<Range> todo;
  const auto refused = [&](Range range) {
    if (range.size() > 1) {
      push_halves(todo, range);
    } else {
      ++whole.too_old;
    }
  };
  refused({0, slices->points()});
  int requests = 0;
  int accepted = 0;
  while (!todo.empty()) {
    const Range range = todo.back();
    todo.pop_back();
    if (requests >= kSieveRequests || (accepted == 0 && requests >= kSieveHopeless)) {
      whole.too_old += range.size();
      continue;
    }
    ++requests;
    Answer answer = send(slices->slice(range.first, range.last));
    if (answer.for_age) {
      refused(range);
      continue;
    }
    switch (answer.delivery.outcome) {
      case Delivery::Outcome::accepted:
        ++accepted;
        whole.rejected += answer.delivery.rejected;
        break;
      case Delivery::Outcome::refused: whole.rejected += range.size(); break;
      case Delivery::Outcome::retry:
      case Delivery::Outcome::unauthorized: return std::move(answer.delivery);
    }
  }
  return whole;
}

}  // namespace warpsight::otlp
