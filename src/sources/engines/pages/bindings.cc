#include "sources/engines/pages/bindings.h"

#include <algorithm>

namespace warpsight::engines {

uint32_t Bindings::slot(const Slot& slot) {
  const uint64_t key = (uint64_t{static_cast<uint16_t>(slot.metric)} << 32U) | slot.entity.bits;
  const auto [at, fresh] = slot_of_.emplace(key, static_cast<uint32_t>(slots_.size()));
  if (fresh) slots_.push_back(slot);
  return slots_[at->second].kind == slot.kind ? at->second : kNone;
}

uint32_t Bindings::rule(const void* rule, const void* via, double scale) {
  const auto next = static_cast<uint32_t>(scales_.size());
  const auto [at, fresh] = rule_of_.emplace(std::pair(rule, via), next);
  if (fresh) scales_.push_back(scale);
  return at->second;
}

uint32_t Bindings::model(std::string_view name, Standing standing) {
  const auto [at, fresh] = model_of_.emplace(std::pair(std::string(name), standing),
                                             static_cast<uint32_t>(models_.size()));
  if (fresh) models_.push_back({std::string(name), standing});
  return at->second;
}

}  // namespace warpsight::engines
