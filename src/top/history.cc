#include "top/history.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace warpsight::top {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr size_t kMostGpus = 4096;
constexpr size_t kMostSamples = 1200;  // of a GPU

float or_absent(std::optional<double> value) {
  return value ? static_cast<float>(*value) : kAbsent;
}

}  // namespace

Measured measure(const Gpu& gpu) {
  return {or_absent(gpu.usage()), or_absent(gpu.memory_share()),
          or_absent(gpu.value("gpu.power.draw")), or_absent(gpu.value("gpu.temperature"))};
}

void History::add(const Node& node) {
  if (!node.time || *node.time == newest_) return;
  // A clock that was set back makes what was seen before unusable.
  if (*node.time < newest_) samples_.clear();
  newest_ = *node.time;
  for (const Gpu& gpu : node.gpus) {
    if (samples_.size() >= kMostGpus && !samples_.contains(gpu.id)) continue;
    samples_[gpu.id].push_back({.time = newest_, .values = measure(gpu)});
  }
  trim(newest_);
}

void History::add_before(const Past& past) {
  for (const auto& [gpu, older] : past) {
    auto& line = samples_[gpu];
    const double first = line.empty() ? std::numeric_limits<double>::infinity() : line.front().time;
    for (const Sample& sample : std::views::reverse(older)) {
      if (sample.time < first) line.push_front(sample);
    }
  }
  trim(newest_);
}

void History::trim(double now) {
  for (auto& [gpu, line] : samples_) {
    while (!line.empty() &&
           (line.front().time < now - kHistorySeconds || line.size() > kMostSamples)) {
      line.pop_front();
    }
  }
  std::erase_if(samples_, [](const auto& entry) { return entry.second.empty(); });
}

std::vector<float> History::line(std::string_view gpu, Measure measure, double end, size_t count,
                                 double hold) const {
  std::vector<float> out(count, kAbsent);
  const auto found = samples_.find(gpu);
  if (found == samples_.end()) return out;
  const std::deque<Sample>& samples = found->second;
  auto next = samples.begin();
  for (size_t i = 0; i < count; ++i) {
    const double until =
        end - kHistorySeconds * static_cast<double>(count - 1 - i) / static_cast<double>(count);
    while (next != samples.end() && next->time <= until) ++next;
    if (next == samples.begin()) continue;
    const Sample& last = *std::prev(next);
    if (until - last.time <= hold) out[i] = last.values[static_cast<size_t>(measure)];
  }
  return out;
}

}  // namespace warpsight::top
