#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "top/history.h"
#include "wire/json_text.h"

namespace warpsight::top {
namespace {

constexpr size_t kLongestDocument = size_t{32} << 20;
constexpr size_t kMostSteps = 2 * static_cast<size_t>(kHistorySeconds);
constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

std::optional<Measure> measure_of(Json series) {
  constexpr std::array<std::string_view, kMeasures> kMetrics = {
      "gpu.utilization", "gpu.memory.used", "gpu.power.draw", "gpu.temperature"};
  const auto found = std::ranges::find(kMetrics, series["metric"].text());
  if (found == kMetrics.end()) return std::nullopt;
  const auto measure = static_cast<Measure>(found - kMetrics.begin());
  const std::string_view sensor = series["attributes"]["gpu.temperature.sensor"].text();
  if (!sensor.empty() && sensor != "edge") return std::nullopt;
  return measure;
}

const Gpu* gpu_of(Json attributes, const Node& node) {
  const std::string_view mig = attributes["gpu.mig.uuid"].text();
  return node.gpu(mig.empty() ? attributes["gpu.uuid"].text() : mig);
}

}  // namespace

Past parse_past(std::string_view json, const Node& node) {
  Past past;
  JsonText text(kLongestDocument);
  const auto top = text.parse(json);
  if (!top) return past;

  std::vector<double> times;
  (*top)["times"].for_each([&](Json time) {
    if (times.size() < kMostSteps) times.push_back(time.number().value_or(0));
  });
  if (!std::ranges::is_sorted(times)) return past;

  (*top)["series"].for_each([&](Json series) {
    const auto measure = measure_of(series);
    const Gpu* gpu = gpu_of(series["attributes"], node);
    if (!measure || gpu == nullptr) return;
    const double scale =
        *measure == Measure::memory ? gpu->value("gpu.memory.total").value_or(0) : 1;
    if (scale <= 0) return;
    auto& samples = past[gpu->id];
    if (samples.empty()) {
      for (const double time : times) {
        samples.push_back({.time = time, .values = {kAbsent, kAbsent, kAbsent, kAbsent}});
      }
    }
    size_t step = 0;
    series["values"].for_each([&](Json value) {
      if (step < samples.size()) {
        const auto number = value.number();
        if (number)
          samples[step].values[static_cast<size_t>(*measure)] = static_cast<float>(*number / scale);
      }
      ++step;
    });
  });
  for (auto& [gpu, samples] : past) {
    std::erase_if(samples, [](const Sample& sample) {
      return std::ranges::none_of(sample.values, [](float value) { return value == value; });
    });
  }
  return past;
}

}  // namespace warpsight::top
