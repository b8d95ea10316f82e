#include "sinks/remote_write/salvage.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpsight {

Salvage::Salvage(const RemoteWriteRequest& request, Send send)
    : request_(request), send_(std::move(send)), order_(request.series()) {
  std::iota(order_.begin(), order_.end(), 0U);
}

Delivery Salvage::run(const Answer& refused) {
  if (refused.refusal == Refusal::out_of_bounds) {
    cut_by_time();
  } else {
    split(order_);
  }
  cut_by_series();
  if (failure_) return std::move(*failure_);
  return {.rejected = rejected_,
          .too_old = too_old_,
          .reason = "too_old",
          .words = refused.delivery.words};
}

Refusal Salvage::send(Part part) {
  ++requests_;
  Answer answer = send_(part);
  if (answer.refusal != Refusal::none) return answer.refusal;
  switch (answer.delivery.outcome) {
    case Delivery::Outcome::accepted:
      rejected_ += answer.delivery.rejected;
      too_old_ += answer.delivery.too_old;
      break;
    case Delivery::Outcome::refused: rejected_ += request_.points(part); break;
    case Delivery::Outcome::retry:
    case Delivery::Outcome::unauthorized: failure_ = std::move(answer.delivery); break;
  }
  return Refusal::none;
}

void Salvage::split(Part part) {
  if (part.size() == 1) {
    lose(part);
    return;
  }
  const size_t half = part.size() / 2;
  parts_.push_back(part.first(half));
  parts_.push_back(part.subspan(half));
}

void Salvage::cut_by_series() {
  while (!parts_.empty()) {
    const Part part = parts_.front();
    parts_.pop_front();
    if (!may_go_on()) {
      lose(part);
    } else if (send(part) != Refusal::none) {
      split(part);
    }
  }
}

// Everything from `taken` on was dealt with, everything before `lost` is too old.
void Salvage::cut_by_time() {
  std::ranges::stable_sort(order_, {}, [&](uint32_t series) { return request_.time(series); });
  const std::span<const uint32_t> all = order_;
  size_t taken = all.size();
  size_t lost = 0;
  // The newest alone first: when even those are refused, all is lost and nothing else need be sent.
  size_t at = first_of_time(all.size() - 1);
  if (at == 0) lost = all.size();
  while (lost < taken && may_go_on()) {
    const Part part = all.subspan(at, taken - at);
    const Refusal refusal = send(part);
    if (refusal == Refusal::out_of_bounds) {
      lost = after_time(at);
    } else {
      if (refusal == Refusal::out_of_order) split(part);
      taken = at;
    }
    if (lost < taken) at = first_of_time(lost + (taken - lost) / 2);
  }
  lose(all.first(taken));
}

size_t Salvage::first_of_time(size_t at) const {
  const auto time = [&](uint32_t series) { return request_.time(series); };
  return static_cast<size_t>(std::ranges::lower_bound(order_, time(order_[at]), {}, time) -
                             order_.begin());
}

size_t Salvage::after_time(size_t at) const {
  const auto time = [&](uint32_t series) { return request_.time(series); };
  return static_cast<size_t>(std::ranges::upper_bound(order_, time(order_[at]), {}, time) -
                             order_.begin());
}

}  // namespace warpsight
