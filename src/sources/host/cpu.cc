// CPU seconds by mode, from /proc/stat.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "sources/host/reader.h"
#include "sources/sysfs/device_set.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_cpu_time, Metric::system_cpu_utilization};
constexpr size_t kMaxCpus = 4096;
constexpr uint64_t kMinTicksPerSecond = 1;

// OpenTelemetry's cpu.mode values. Guest time stays where the kernel counts it, in user and nice.
constexpr std::array<std::string_view, 7> kModes = {"user",   "nice",      "system", "idle",
                                                    "iowait", "interrupt", "steal"};

// Ticks by mode. Kernels added fields at the end, so an old one lacks the last modes.
struct Ticks {
  std::array<uint64_t, kModes.size()> of{};
  size_t modes = 0;  // how many there are
};

// The numbers after "cpu" or "cpuN"; nothing unless the four oldest fields are there.
std::optional<Ticks> parse_ticks(std::string_view fields) {
  std::array<uint64_t, 8> raw{};
  size_t count = 0;
  while (count < raw.size()) {
    const auto field = next_number(fields);
    if (!field) break;
    raw[count++] = *field;
  }
  if (count < 4) return std::nullopt;
  // Hard and soft interrupts are one mode.
  return Ticks{{raw[0], raw[1], raw[2], raw[3], raw[4], raw[5] + raw[6], raw[7]},
               count > 5 ? count - 1 : count};
}

// The series of one "cpu" line.
struct Cpu {
  EntityId entity;
  std::array<EntityId, kModes.size()> modes;
  Ticks last{};
};

class CpuReader final : public Reader {
 public:
  explicit CpuReader(const HostContext& context)
      : context_(context),
        stat_(under_root(context.root, "/proc/stat")),
        per_cpu_(context.options.flag("per_cpu")),
        ticks_per_second_(
            static_cast<double>(std::max<int64_t>(sysconf(_SC_CLK_TCK), kMinTicksPerSecond))),
        total_(make_cpu(context.host)),
        cpus_(kMaxCpus) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    const auto text = stat_.read(context_.buffer);
    if (!text) return unreadable(stat_);
    std::string_view rest = *text;
    bool found = false;
    cpus_.begin();
    while (!rest.empty()) {
      std::string_view fields = next_line(rest);
      const std::string_view label = next_word(fields);
      if (!label.starts_with("cpu")) break;  // the CPUs come first, long lines after them
      auto ticks = parse_ticks(fields);
      if (!ticks) continue;
      if (label == "cpu") {
        found = true;
        add_total(*ticks, out);
      } else if (per_cpu_) {
        add_cpu(label.substr(3), *ticks, out);
      }
    }
    cpus_.sweep([&](const Cpu& cpu) { end(out, cpu.entity); });
    if (!found) return malformed(stat_);
    return {};
  }

 private:
  Cpu make_cpu(EntityId parent) {
    Cpu cpu{parent, {}, {}};
    for (size_t mode = 0; mode < kModes.size(); ++mode) {
      cpu.modes[mode] =
          context_.entities.intern(EntityKind::facet, parent, {{"cpu.mode", kModes[mode]}});
    }
    return cpu;
  }

  // The kernel lets idle and iowait fall a little; a counter must not, or it reads as a restart.
  void hold(Ticks& ticks, const Ticks& last) const {
    constexpr double kWobble = 30;
    for (size_t mode = 0; mode < std::min(ticks.modes, last.modes); ++mode) {
      if (ticks.of[mode] >= last.of[mode]) continue;
      const double fall = static_cast<double>(last.of[mode] - ticks.of[mode]) / ticks_per_second_;
      if (fall < kWobble) ticks.of[mode] = last.of[mode];
    }
  }

  void add_times(const Cpu& cpu, const Ticks& ticks, Batch& out) const {
    for (size_t mode = 0; mode < ticks.modes; ++mode) {
      put(out, Metric::system_cpu_time, cpu.modes[mode],
          static_cast<double>(ticks.of[mode]) / ticks_per_second_);
    }
  }

  void add_total(Ticks& ticks, Batch& out) {
    hold(ticks, total_.last);
    if (!per_cpu_) add_times(total_, ticks, out);
    add_utilization(ticks, out);
    total_.last = ticks;
  }

  void add_utilization(const Ticks& ticks, Batch& out) const {
    const Ticks& last = total_.last;
    if (ticks.modes != last.modes) return;  // the first run
    uint64_t passed = 0;
    for (size_t mode = 0; mode < ticks.modes; ++mode) {
      if (ticks.of[mode] < last.of[mode]) return;  // counted anew: no share this time
      passed += ticks.of[mode] - last.of[mode];
    }
    if (passed == 0) return;
    for (size_t mode = 0; mode < ticks.modes; ++mode) {
      put(out, Metric::system_cpu_utilization, total_.modes[mode],
          static_cast<double>(ticks.of[mode] - last.of[mode]) / static_cast<double>(passed));
    }
  }

  void add_cpu(std::string_view number, Ticks& ticks, Batch& out) {
    if (!to_number<unsigned>(number)) return;
    Cpu* cpu = cpus_.visit(number, [&](std::string_view name) {
      return make_cpu(context_.entities.intern(EntityKind::facet, context_.host,
                                               {{"cpu.logical_number", name}}));
    });
    if (cpu == nullptr) return;
    hold(ticks, cpu->last);
    add_times(*cpu, ticks, out);
    cpu->last = ticks;
  }

  const HostContext& context_;
  FileReader stat_;
  bool per_cpu_;
  double ticks_per_second_;
  Cpu total_;
  DeviceSet<Cpu> cpus_;
};

}  // namespace

std::unique_ptr<Reader> make_cpu_reader(const HostContext& context) {
  return std::make_unique<CpuReader>(context);
}

}  // namespace warpsight::host
