#include "core/window_rules.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace warpsight {
namespace {

constexpr size_t kMaxRules = 1024;

bool same(const WindowTerm& a, const WindowTerm& b) {
  return a.metric == b.metric && a.part == b.part;
}

bool same(const WindowRule& a, const WindowRule& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return std::ranges::equal(x, y,
                              [](const WindowTerm& p, const WindowTerm& q) { return same(p, q); });
  };
  return a.to == b.to && a.kind == b.kind && equal(a.over, b.over) && equal(a.under, b.under);
}

struct Rules {
  std::mutex mutex;
  std::vector<WindowRule> list;
  std::atomic<size_t> size = 0;
};

Rules& rules() {
  static Rules all;
  return all;
}

}  // namespace

void add_window_rule(const WindowRule& rule) {
  Rules& all = rules();
  const std::lock_guard lock(all.mutex);
  const bool known =
      std::ranges::any_of(all.list, [&](const WindowRule& other) { return same(rule, other); });
  if (known || all.list.size() == kMaxRules) return;
  all.list.push_back(rule);
  all.size.store(all.list.size(), std::memory_order_release);
}

size_t window_rule_count() { return rules().size.load(std::memory_order_acquire); }

std::vector<WindowRule> window_rules(size_t first) {
  Rules& all = rules();
  const std::lock_guard lock(all.mutex);
  const size_t skip = std::min(first, all.list.size());
  return {all.list.begin() + static_cast<std::ptrdiff_t>(skip), all.list.end()};
}

}  // namespace warpsight
