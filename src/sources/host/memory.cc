// Memory and swap, from /proc/meminfo.
#include <array>
#include <cstdint>
#include <optional>

#include "sources/host/reader.h"
#include "sources/sysfs/text.h"

namespace warpsight::host {
namespace {

constexpr std::array kMetrics = {Metric::system_memory_usage, Metric::system_memory_utilization,
                                 Metric::system_paging_usage};

using Bytes = std::optional<uint64_t>;

struct MemoryInfo {
  Bytes total, free, available, buffers, cached, slab_reclaimable, swap_total, swap_free;
};

struct Key {
  std::string_view name;
  Bytes MemoryInfo::* field;
};
constexpr std::array kKeys = {
    Key{"MemTotal:", &MemoryInfo::total},
    Key{"MemFree:", &MemoryInfo::free},
    Key{"MemAvailable:", &MemoryInfo::available},
    Key{"Buffers:", &MemoryInfo::buffers},
    Key{"Cached:", &MemoryInfo::cached},
    Key{"SReclaimable:", &MemoryInfo::slab_reclaimable},
    Key{"SwapTotal:", &MemoryInfo::swap_total},
    Key{"SwapFree:", &MemoryInfo::swap_free},
};

MemoryInfo parse(std::string_view text) {
  MemoryInfo info;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view name = next_word(line);
    for (const Key& key : kKeys) {
      if (key.name != name) continue;
      if (const auto kib = next_number(line)) info.*key.field = *kib * 1024;
      break;
    }
  }
  return info;
}

double as_double(uint64_t bytes) { return static_cast<double>(bytes); }

class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(const HostContext& context)
      : context_(context),
        meminfo_(under_root(context.root, "/proc/meminfo")),
        used_(memory_state("used")),
        free_(memory_state("free")),
        buffers_(memory_state("buffers")),
        cached_(memory_state("cached")),
        slab_reclaimable_(memory_state("slab_reclaimable")),
        swap_used_(swap_state("used")),
        swap_free_(swap_state("free")) {}

  std::span<const Metric> metrics() const override { return kMetrics; }

  ReadResult read(Batch& out) override {
    const auto text = meminfo_.read(context_.buffer);
    if (!text) return unreadable(meminfo_);
    const MemoryInfo info = parse(*text);
    if (!info.total || *info.total == 0) return malformed(meminfo_);
    add_usage(info, *info.total, out);
    if (info.available && *info.available <= *info.total) {
      put(out, Metric::system_memory_utilization, context_.host,
          1 - as_double(*info.available) / as_double(*info.total));
    }
    add_swap(info, out);
    return {};
  }

 private:
  EntityId memory_state(std::string_view state) {
    return context_.entities.intern(EntityKind::facet, context_.host,
                                    {{"system.memory.state", state}});
  }
  EntityId swap_state(std::string_view state) {
    return context_.entities.intern(EntityKind::facet, context_.host,
                                    {{"system.paging.state", state}});
  }

  // The states add up to all memory, as OpenTelemetry wants them to.
  void add_usage(const MemoryInfo& info, uint64_t total, Batch& out) const {
    uint64_t rest = total;
    const auto add = [&](EntityId state, Bytes bytes) {
      if (!bytes || *bytes > rest) return;
      rest -= *bytes;
      put(out, Metric::system_memory_usage, state, as_double(*bytes));
    };
    if (!info.free || !info.cached) return;
    add(free_, info.free);
    add(buffers_, info.buffers);
    add(cached_, info.cached);
    add(slab_reclaimable_, info.slab_reclaimable);
    put(out, Metric::system_memory_usage, used_, as_double(rest));
  }

  void add_swap(const MemoryInfo& info, Batch& out) const {
    if (!info.swap_total || !info.swap_free || *info.swap_free > *info.swap_total) return;
    put(out, Metric::system_paging_usage, swap_used_,
        as_double(*info.swap_total - *info.swap_free));
    put(out, Metric::system_paging_usage, swap_free_, as_double(*info.swap_free));
  }

  const HostContext& context_;
  FileReader meminfo_;
  EntityId used_, free_, buffers_, cached_, slab_reclaimable_;
  EntityId swap_used_, swap_free_;
};

}  // namespace

std::unique_ptr<Reader> make_memory_reader(const HostContext& context) {
  return std::make_unique<MemoryReader>(context);
}

}  // namespace warpsight::host
