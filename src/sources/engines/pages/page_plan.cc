#include "sources/engines/pages/page_plan.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "sources/engines/pages/histogram_assembly.h"

namespace warpsight::engines {
namespace {

using Run = std::span<const Binding* const>;

// Of each rule the best name on the page; where none is there now, the best of those that were.
std::vector<uint16_t> choose_candidates(const Bindings& bindings,
                                        const std::vector<bool>& missing) {
  constexpr auto kNever = std::numeric_limits<uint16_t>::max();
  std::vector<uint16_t> now(bindings.scales().size(), kNever);
  std::vector<uint16_t> ever = now;
  for (const Binding& binding : bindings.all()) {
    if (binding.part == Part::created) continue;
    const auto keep_lower = [&](std::vector<uint16_t>& best) {
      best[binding.rule] = std::min(best[binding.rule], binding.candidate);
    };
    keep_lower(ever);
    if (!missing[binding.series]) keep_lower(now);
  }
  for (size_t rule = 0; rule < now.size(); ++rule) {
    if (now[rule] == kNever) now[rule] = ever[rule];
  }
  return now;
}

// Bindings that count, those of a slot together, of a group within it too.
std::vector<const Binding*> in_order(const Bindings& bindings, const std::vector<bool>& missing) {
  const std::vector<uint16_t> chosen = choose_candidates(bindings, missing);
  std::vector<const Binding*> order;
  order.reserve(bindings.all().size());
  for (const Binding& binding : bindings.all()) {
    if (binding.candidate == chosen[binding.rule]) order.push_back(&binding);
  }
  std::ranges::sort(order, {}, [](const Binding* b) {
    return std::tuple(b->slot, b->rule, b->group, b->series);
  });
  return order;
}

// Calls fn with each run of bindings that are alike by `key`.
template <typename Key, typename Fn>
void for_each_run(Run order, Key&& key, Fn&& fn) {
  for (size_t first = 0; first < order.size();) {
    size_t last = first + 1;
    while (last < order.size() && key(*order[last]) == key(*order[first])) ++last;
    fn(order.subspan(first, last - first));
    first = last;
  }
}

bool any_missing(Run run, const std::vector<bool>& missing) {
  return std::ranges::any_of(
      run, [&](const Binding* b) { return b->part != Part::created && missing[b->series]; });
}

uint64_t key_of(const Slot& slot) {
  return (uint64_t{static_cast<uint16_t>(slot.metric)} << 32U) | slot.entity.bits;
}

uint32_t size_of(const auto& items) { return static_cast<uint32_t>(items.size()); }

}  // namespace

void PagePlan::arrange(const Bindings& bindings, const std::vector<bool>& missing) {
  PagePlan next;
  next.made_of_ = std::move(made_of_);
  next.renewed_ = std::move(renewed_);
  *this = std::move(next);
  const std::vector<const Binding*> order = in_order(bindings, missing);
  for_each_run(
      order, [](const Binding& b) { return b.slot; },
      [&](Run run) {
        const Slot& slot = bindings.slots()[run.front()->slot];
        if (!slot.items && any_missing(run, missing)) return;
        if (slot.kind != MetricKind::gauge) compare(slot, run);
        if (slot.kind == MetricKind::histogram) {
          arrange_distribution(slot, run, bindings.scales(), missing);
        } else {
          arrange_number(slot, run, bindings.scales(), missing);
        }
      });

  std::unordered_set<uint64_t> slots;
  for (const Slot& slot : bindings.slots()) slots.insert(key_of(slot));
  std::erase_if(made_of_, [&](const auto& item) { return !slots.contains(item.first); });

  const auto take_models = [&](const auto& told) {
    for (const auto& item : told) {
      if (item.slot.model != kNone) models_.push_back(item.slot.model);
    }
  };
  take_models(numbers_);
  take_models(distributions_);
  std::ranges::sort(models_);
  const auto repeated = std::ranges::unique(models_);
  models_.erase(repeated.begin(), repeated.end());
}

void PagePlan::compare(const Slot& slot, Run run) {
  uint64_t parts = 0;
  for_each_run(
      run, [](const Binding& b) { return std::pair(b.rule, b.group); },
      [&](Run part) { parts += part.front()->group * 2 + 1; });
  const auto [known, fresh] = made_of_.emplace(key_of(slot), parts);
  if (fresh || known->second == parts) return;
  known->second = parts;
  renewed_.push_back({slot.metric, slot.entity});
}

void PagePlan::arrange_number(const Slot& slot, Run run, std::span<const double> scales,
                              const std::vector<bool>& missing) {
  Number number{slot, size_of(terms_), 0, size_of(starts_), 0};
  for (const Binding* binding : run) {
    if (missing[binding->series]) continue;
    if (binding->part == Part::created) {
      starts_.push_back(binding->series);
    } else {
      terms_.push_back({binding->series, slot.items ? binding->number : scales[binding->rule]});
    }
  }
  number.terms = size_of(terms_) - number.first_term;
  number.starts = size_of(starts_) - number.first_start;
  if (number.terms > 0) numbers_.push_back(number);
}

void PagePlan::arrange_distribution(const Slot& slot, Run run, std::span<const double> scales,
                                    const std::vector<bool>& missing) {
  std::vector<Run> groups;
  for_each_run(
      run, [](const Binding& b) { return std::pair(b.rule, b.group); },
      [&](Run group) {
        const bool has_buckets =
            std::ranges::any_of(group, [](const Binding* b) { return b->part == Part::bucket; });
        if (has_buckets) groups.push_back(group);
      });
  // The first on the page says which bounds count.
  std::ranges::sort(groups, {}, [](const Run& group) { return group.front()->series; });

  Distribution distribution{slot, size_of(bounds_), 0, size_of(parts_), 0};
  for (const Run& group : groups) {
    if (add_part(distribution, group, scales[group.front()->rule], missing)) ++distribution.parts;
  }
  if (distribution.parts > 0) distributions_.push_back(distribution);
  counts_.resize(std::max<size_t>(counts_.size(), distribution.bounds + size_t{1}));
}

bool PagePlan::add_part(Distribution& distribution, Run group, double scale,
                        const std::vector<bool>& missing) {
  const auto found = find_parts(group, scale);
  if (!found) {
    ++always_.torn;
    return false;
  }
  const auto agreed = std::span(bounds_).subspan(distribution.first_bound, distribution.bounds);
  if (distribution.parts == 0) {
    bounds_.insert(bounds_.end(), found->bounds.begin(), found->bounds.end());
    distribution.bounds = size_of(found->bounds);
  } else if (!std::ranges::equal(agreed, found->bounds)) {
    ++always_.not_merged;
    return false;
  }
  const bool created = found->created != kNone && !missing[found->created];
  parts_.push_back(
      {size_of(buckets_), found->total, found->sum, created ? found->created : kNone, scale});
  buckets_.insert(buckets_.end(), found->buckets.begin(), found->buckets.end());
  return true;
}

}  // namespace warpsight::engines
