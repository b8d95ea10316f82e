#include "sources/host/host.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sources/host/reader.h"

namespace warpsight {
namespace {

using host::HostContext;
using host::Reader;
using host::ReadResult;

constexpr std::array kOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "Read the host's own metrics"},
    OptionDef{"period", OptionType::duration, "5s", "How often", "1s..1h"},
    OptionDef{"slow_period", OptionType::duration, "30s",
              "How often file systems, NUMA misses, RDMA errors and rates are read", "1s..1h"},
    OptionDef{"per_cpu", OptionType::boolean, "false",
              "`system.cpu.time` for each logical CPU instead of for all together"},
    OptionDef{"network_ignore", OptionType::list,
              "lo,veth*,cali*,cilium*,lxc*,docker*,br-*,cni*,flannel*,virbr*,vnet*,tap*,ifb*,"
              "dummy*,nodelocaldns,kube-*,tunl*",
              "Network interfaces left out; a trailing `*` matches any rest. The default keeps "
              "containers' ends out, whose traffic shows on the real interface"},
};

// What the host does not have may come with a module loaded later.
constexpr Duration kRecheck = std::chrono::minutes{1};

// One reader, when it is next due, and what was last said about it.
struct Task {
  std::unique_ptr<Reader> reader;
  Duration period;
  std::optional<SteadyTime> due;
  std::optional<Absence> absent;
};

class HostSource final : public Source {
 public:
  explicit HostSource(const SourceContext& context)
      : context_{context.clock,
                 context.entities,
                 context.options,
                 context.root,
                 context.entities.intern(EntityKind::host, kNoEntity, {}),
                 buffer_} {
    const Duration fast = context.options.duration("period");
    const Duration slow = std::max(fast, context.options.duration("slow_period"));
    add(host::make_cpu_reader(context_), fast);
    add(host::make_load_reader(context_), fast);
    add(host::make_uptime_reader(context_), fast);
    add(host::make_memory_reader(context_), fast);
    add(host::make_pressure_reader(context_), fast);
    add(host::make_disk_reader(context_), fast);
    add(host::make_network_reader(context_), fast);
    host::RdmaReaders rdma = host::make_rdma_readers(context_);
    add(std::move(rdma.io), fast);
    add(std::move(rdma.health), slow);
    add(host::make_filesystem_reader(context_), slow);
    add(host::make_numa_reader(context_), slow);
  }

  Result<> collect(Batch& out) override {
    const SteadyTime now = context_.clock.steady();
    for (Task& task : tasks_) {
      if (task.due && now < *task.due) continue;
      // Half a second of grace, lest a run that starts early skips a turn.
      task.due = now + task.period - std::chrono::milliseconds{500};
      out.begin(context_.clock.now(), task.period);
      const ReadResult read = task.reader->read(out);
      report(task, read, out);
      if (task.absent == Absence::unsupported) task.due = now + std::max(task.period, kRecheck);
    }
    if (std::ranges::all_of(tasks_, [](const Task& task) { return task.absent.has_value(); })) {
      return fail("nothing of the host could be read under " + context_.root,
                  "mount the host's /proc and /sys there, or set the root that has them");
    }
    return {};
  }

 private:
  void add(std::unique_ptr<Reader> reader, Duration period) {
    tasks_.push_back({std::move(reader), period, std::nullopt, std::nullopt});
  }

  void report(Task& task, const ReadResult& read, Batch& out) const {
    if (read) {
      task.absent.reset();
      return;
    }
    if (task.absent == read.error().why) return;
    task.absent = read.error().why;
    const std::string detail = read.error().describe();
    for (const Metric metric : task.reader->metrics()) {
      out.missing(metric, context_.host, read.error().why, detail);
    }
  }

  std::string buffer_;
  HostContext context_;
  std::vector<Task> tasks_;
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  return std::make_unique<HostSource>(context);
}

Finding check(const SourceContext& context, std::string_view path, std::string_view what,
              std::string_view hint) {
  const std::string full = under_root(context.root, path);
  if (access(full.c_str(), R_OK) == 0) {
    return {Finding::State::ok, std::string(what) + " (" + full + ")", {}};
  }
  return {Finding::State::missing, std::string(what) + ": cannot read " + full, std::string(hint)};
}

std::vector<Finding> diagnose(const SourceContext& context) {
  std::vector<Finding> findings = {
      check(context, "/proc/stat", "CPU, memory, disks and network",
            "mount the host's /proc under the root"),
      check(context, "/proc/pressure/cpu", "pressure stall information",
            "needs a kernel with CONFIG_PSI, booted with psi=1"),
      check(context, "/sys/devices/system/node/node0/numastat", "NUMA statistics",
            "needs a kernel with CONFIG_NUMA"),
  };
  Finding rdma = check(context, "/sys/class/infiniband", "InfiniBand and RoCE ports", "");
  if (rdma.state != Finding::State::ok) rdma = {Finding::State::ok, "no InfiniBand or RoCE", {}};
  findings.push_back(std::move(rdma));
  return findings;
}

}  // namespace

constinit const SourceDef kHostSource = {
    .name = "host",
    .summary = "CPU, memory, pressure, disks, network, NUMA and RDMA of this host",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
};

}  // namespace warpsight
