#include "sources/engines/pages/claims.h"

#include <algorithm>

namespace warpsight::engines {

void Claims::claim(const void* page, std::string_view model, Standing standing, Time now,
                   Duration lasting) {
  const std::pair key(page, standing);
  if (const auto known = claims_.find(model); known != claims_.end()) {
    if (const auto mine = known->second.find(key); mine != known->second.end()) {
      mine->second.until = now + lasting;
      return;
    }
  }
  if (now != swept_) forget_lapsed(now);
  claims_[std::string(model)].insert_or_assign(key, Claim{standing, now, now + lasting});
}

void Claims::withdraw(const void* page) {
  erase_claims([&](const auto& item) { return item.first.first == page; });
}

bool Claims::speaks(const void* page, std::string_view model, Standing standing, Time now) const {
  const auto known = claims_.find(model);
  if (known == claims_.end()) return true;
  const auto mine = known->second.find(std::pair(page, standing));
  const bool new_here = mine != known->second.end() && mine->second.since == now;
  if (others_ && standing != Standing::engine && new_here) return false;
  return std::ranges::none_of(known->second, [&](const auto& item) {
    return item.second.standing < standing && item.second.until > now;
  });
}

void Claims::forget_lapsed(Time now) {
  erase_claims([&](const auto& item) { return item.second.until <= now; });
  swept_ = now;
}

template <typename Which>
void Claims::erase_claims(const Which& which) {
  for (auto& [model, claims] : claims_) std::erase_if(claims, which);
  std::erase_if(claims_, [](const auto& model) { return model.second.empty(); });
}

}  // namespace warpsight::engines
