#include "sources/nvml/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "sources/nvml/library.h"
#include "sources/nvml/mig.h"
#include "sources/nvml/reading.h"
#include "sources/nvml/record_facts.h"
#include "sources/nvml/record_readings.h"
#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

using abi::Return;

// What a scenario may hold, with room to spare.
constexpr size_t kMaxPoints = 150'000;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct Timeline {
  std::string_view name;
  bool counts;
  std::vector<double> values;
};

struct SeenProcess {
  size_t first, last;  // steps
  unsigned long long memory;
};

// Whole numbers in full, others to seven digits.
std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.7g}", value);
}

// A value that could not be read for a moment is taken to be the one before it.
void fill_gaps(std::vector<double>& values) {
  const auto first = std::ranges::find_if(values, [](double v) { return std::isfinite(v); });
  if (first == values.end()) return;
  double last = *first;
  for (double& value : values) {
    if (!std::isfinite(value)) value = last;
    last = value;
  }
}

std::string signal(const Timeline& timeline, double interval) {
  const auto& values = timeline.values;
  if (std::ranges::all_of(values, [&](double v) { return v == values.front(); })) {
    return number(values.front());
  }
  std::string list;
  for (const double value : values) {
    if (!list.empty()) list += ", ";
    list += number(value);
  }
  return fmt::format("{{every: {}, {}values: [{}]}}", number(interval),
                     timeline.counts ? "" : "repeat: true, ", list);
}

// One GPU while it is recorded.
class Recording {
 public:
  Recording(const Library& lib, abi::Device device) : lib_(lib), device_(device) {
    for (const RecordedReading& reading : recorded_readings()) {
      timelines_.push_back({reading.name, reading.counts, {}});
    }
    for (const RecordedActivity& activity : recorded_activities()) {
      activities_.push_back({activity.name, false, {}});
    }
    for (abi::GpmSample& sample : samples_) {
      if (lib_.nvmlGpmSampleAlloc(&sample) != Return::success) sample = nullptr;
    }
    have_sample_ = take_sample(samples_[0]);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    for (abi::GpmSample sample : samples_) {
      if (sample != nullptr) lib_.nvmlGpmSampleFree(sample);
    }
  }

  void read(size_t step) {
    read_getters();
    read_activities();
    read_processes(step);
  }

  void write(std::string& to, double interval);
  void write_processes(std::string& to, size_t gpu, double interval, size_t steps,
                       unsigned& masked);

 private:
  bool take_sample(abi::GpmSample sample) {
    return sample != nullptr && lib_.nvmlGpmSampleGet(device_, sample) == Return::success;
  }
  void read_getters();
  void read_activities();
  void read_processes(size_t step);
  void write_mig(std::string& to);
  void write_unsupported(std::string& to);

  const Library& lib_;
  abi::Device device_;
  std::vector<Timeline> timelines_;
  std::vector<Timeline> activities_;
  std::set<std::string_view> refused_;   // calls that were not supported
  std::set<std::string_view> answered_;  // and those that were, for some reading
  std::set<unsigned> refused_activities_;
  std::array<abi::GpmSample, 2> samples_{};
  bool have_sample_ = false;
  std::map<unsigned, SeenProcess> processes_;
};

void Recording::read_getters() {
  const auto readings = recorded_readings();
  for (size_t i = 0; i < readings.size(); ++i) {
    double value = 0;
    const Return result = readings[i].read(lib_, device_, value);
    const bool read = result == Return::success;
    timelines_[i].values.push_back(read ? readings[i].scale * value : kNothing);
    if (read) answered_.insert(readings[i].call);
    if (classify(result) == Outcome::unsupported) refused_.insert(readings[i].call);
  }
}

void Recording::read_activities() {
  auto request = std::make_unique<abi::GpmMetricsGet>();
  const bool next = take_sample(samples_[1]);
  request->version = abi::kGpmMetricsGetVersion;
  request->first = samples_[0];
  request->second = samples_[1];
  for (const RecordedActivity& activity : recorded_activities()) {
    request->metrics[request->count++].id = activity.id;
  }
  const bool read =
      have_sample_ && next && lib_.nvmlGpmMetricsGet(request.get()) == Return::success;
  for (size_t i = 0; i < activities_.size(); ++i) {
    const abi::GpmMetric& metric = request->metrics[i];
    const bool good = read && metric.result == Return::success && std::isfinite(metric.value);
    const double scaled = recorded_activities()[i].scale * metric.value;
    activities_[i].values.push_back(good ? scaled : kNothing);
    if (read && classify(metric.result) == Outcome::unsupported) {
      refused_activities_.insert(metric.id);
    }
  }
  std::swap(samples_[0], samples_[1]);
  have_sample_ = next;
}

void Recording::read_processes(size_t step) {
  std::vector<abi::ProcessInfo> list(1024);
  auto count = static_cast<unsigned>(list.size());
  if (lib_.nvmlDeviceGetComputeRunningProcesses_v3(device_, &count, list.data()) !=
      Return::success) {
    return;
  }
  for (const abi::ProcessInfo& info : std::span(list).first(std::min<size_t>(count, list.size()))) {
    const auto [at, born] = processes_.try_emplace(info.pid, SeenProcess{step, step, 0});
    at->second.last = step;
    if (info.used_gpu_memory == abi::kValueNotAvailable) continue;
    at->second.memory = std::max(at->second.memory, info.used_gpu_memory);
  }
}

void Recording::write_unsupported(std::string& to) {
  std::string list;
  const auto add = [&list](std::string_view entry) {
    if (!list.empty()) list += ", ";
    list += entry;
  };
  for (const std::string_view call : refused_) {
    if (!call.empty() && !answered_.contains(call)) add(call);
  }
  for (const unsigned id : refused_activities_) add(fmt::format("gpm:{}", id));
  if (!list.empty()) to += fmt::format("    unsupported: [{}]\n", list);
}

void Recording::write_mig(std::string& to) {
  unsigned current = 0;
  unsigned pending = 0;
  unsigned most = 0;
  if (lib_.nvmlDeviceGetMigMode(device_, &current, &pending) != Return::success || current == 0 ||
      lib_.nvmlDeviceGetMaxMigDeviceCount(device_, &most) != Return::success) {
    return;
  }
  std::string list;
  for (unsigned index = 0; index < most; ++index) {
    abi::Device mig = nullptr;
    char name[abi::kNameBuffer] = {};
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
    if (lib_.nvmlDeviceGetMigDeviceHandleByIndex(device_, index, &mig) != Return::success ||
        lib_.nvmlDeviceGetName(mig, name, sizeof name) != Return::success ||
        lib_.nvmlDeviceGetGpuInstanceId(mig, &gpu_instance) != Return::success ||
        lib_.nvmlDeviceGetComputeInstanceId(mig, &compute_instance) != Return::success) {
      continue;
    }
    abi::MemoryV2 memory{};
    memory.version = abi::kMemoryV2;
    lib_.nvmlDeviceGetMemoryInfo_v2(mig, &memory);
    list += fmt::format("      - {{profile: {}, gi: {}, ci: {}, memory: {}}}\n",
                        quoted(mig_profile_in(clean_text(name))), gpu_instance, compute_instance,
                        memory.total);
  }
  if (!list.empty()) to += "    mig:\n" + list;
}

void Recording::write(std::string& to, double interval) {
  to += record_facts(lib_, device_, "    ");
  write_unsupported(to);
  write_mig(to);
  std::string readings;
  for (auto* group : {&timelines_, &activities_}) {
    for (Timeline& timeline : *group) {
      fill_gaps(timeline.values);
      if (timeline.values.empty() || !std::isfinite(timeline.values.front())) continue;
      const std::string value = signal(timeline, interval);
      if (timeline.name == "utilization") to += "    load: " + value + "\n";
      readings += fmt::format("      {}: {}\n", timeline.name, value);
    }
  }
  if (!readings.empty()) to += "    readings:\n" + readings;
}

void Recording::write_processes(std::string& to, size_t gpu, double interval, size_t steps,
                                unsigned& masked) {
  constexpr unsigned kFirstPid = 4200;
  for (const auto& [pid, process] : processes_) {
    ++masked;
    to += fmt::format("  - {{gpu: {}, pid: {}, name: process-{}, memory: {}", gpu,
                      kFirstPid + masked, masked, process.memory);
    if (process.first != 0)
      to += ", from: " + number(interval * static_cast<double>(process.first));
    if (process.last + 1 < steps) {
      to += ", until: " + number(interval * static_cast<double>(process.last + 1));
    }
    to += "}\n";
  }
}

std::string write_driver(const Library& lib) {
  char version[abi::kVersionBuffer] = {};
  lib.nvmlSystemGetDriverVersion(version, sizeof version);
  int cuda = 0;
  lib.nvmlSystemGetCudaDriverVersion_v2(&cuda);
  return fmt::format("driver: {{version: {}, cuda: {}.{}}}\n", quoted(clean_text(version)),
                     cuda / 1000, cuda % 1000 / 10);
}

std::string record_all(const Library& lib, unsigned count, size_t steps, Duration interval) {
  std::vector<std::unique_ptr<Recording>> recordings;
  for (unsigned index = 0; index < count; ++index) {
    abi::Device device = nullptr;
    if (lib.nvmlDeviceGetHandleByIndex_v2(index, &device) != Return::success) continue;
    recordings.push_back(std::make_unique<Recording>(lib, device));
  }
  auto due = std::chrono::steady_clock::now();
  for (size_t step = 0; step < steps; ++step) {
    due += interval;
    std::this_thread::sleep_until(due);
    for (const auto& recording : recordings) recording->read(step);
  }
  const double seconds = to_seconds(interval);
  std::string gpus;
  std::string processes;
  unsigned masked = 0;
  for (size_t i = 0; i < recordings.size(); ++i) {
    gpus += "  - count: 1\n";
    recordings[i]->write(gpus, seconds);
    recordings[i]->write_processes(processes, i, seconds, steps, masked);
  }
  std::string text = fmt::format("# {} GPU(s), recorded every {} s for {} s\n", recordings.size(),
                                 number(seconds), number(seconds * static_cast<double>(steps)));
  text += write_driver(lib) + "gpus:\n" + gpus;
  return processes.empty() ? text : text + "processes:\n" + processes;
}

}  // namespace

Result<std::string> record(const SourceContext& context, Duration length, Duration interval) {
  auto library = Library::open(context);
  if (!library) return tl::unexpected(library.error());
  const Library& lib = **library;
  if (const Return result = lib.nvmlInit_v2(); result != Return::success) {
    return fail("NVML does not answer: " + std::string(lib.word(result)),
                "run nvidia-smi and look at dmesg");
  }
  const std::unique_ptr<const Library, void (*)(const Library*)> session(
      &lib, [](const Library* initialised) { initialised->nvmlShutdown(); });
  unsigned count = 0;
  const Return counted = lib.nvmlDeviceGetCount_v2(&count);
  if (counted != Return::success || count == 0) {
    return fail("the driver lists no GPU", "run nvidia-smi -L as the same user");
  }
  const auto steps = static_cast<size_t>(std::max<int64_t>(1, length / interval));
  const size_t width = recorded_readings().size() + recorded_activities().size();
  if (steps * width * count > kMaxPoints) {
    return fail(
        fmt::format("{} readings of {} GPU(s) are more than a scenario holds", steps, count),
        "record for a shorter time or with a longer interval");
  }
  return record_all(lib, count, steps, interval);
}

}  // namespace warpsight::nvml
