#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "top/history.h"
#include "wire/json_text.h"

namespace warpsight::top {
namespace {

constexpr size_t kLongestDocument = size_t{32} << 20;
constexpr size_t kMostSteps = 2 * static_cast<size_t>(kHistorySeconds);
constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();

struct Told {
  std::string_view metric;
  Measure measure;
};

// Of those that tell the same, the best first.
constexpr std::array<Told, 6> kTold = {{{kUsageMetrics[0], Measure::utilization},
                                        {kUsageMetrics[1], Measure::utilization},
                                        {kUsageMetrics[2], Measure::utilization},
                                        {"gpu.memory.used", Measure::memory},
                                        {"gpu.power.draw", Measure::power},
                                        {"gpu.temperature", Measure::temperature}}};

bool tells(Json series, std::string_view metric) {
  if (series["metric"].text() != metric) return false;
  const std::string_view sensor = series["attributes"]["gpu.temperature.sensor"].text();
  return sensor.empty() || sensor == "edge";
}

const Gpu* gpu_of(Json attributes, const Node& node) {
  const std::string_view mig = attributes["gpu.mig.uuid"].text();
  return node.gpu(mig.empty() ? attributes["gpu.uuid"].text() : mig);
}

// Where nothing better was told.
void add_series(Past& past, Json series, Measure measure, const Node& node,
                const std::vector<double>& times) {
  const Gpu* gpu = gpu_of(series["attributes"], node);
  if (gpu == nullptr) return;
  const double scale = measure == Measure::memory ? gpu->value("gpu.memory.total").value_or(0) : 1;
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
      float& told = samples[step].values[static_cast<size_t>(measure)];
      const auto number = value.number();
      if (number && std::isnan(told)) told = static_cast<float>(*number / scale);
    }
    ++step;
  });
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

  for (const Told& told : kTold) {
    (*top)["series"].for_each([&](Json series) {
      if (tells(series, told.metric)) add_series(past, series, told.measure, node, times);
    });
  }
  for (auto& [gpu, samples] : past) {
    std::erase_if(samples, [](const Sample& sample) {
      return std::ranges::all_of(sample.values, [](float value) { return std::isnan(value); });
    });
  }
  return past;
}

}  // namespace warpsight::top
