#include "sources/pci/pci.h"

#include <algorithm>
#include <array>
#include <optional>

#include "platform/fd.h"
#include "sources/pci/bus.h"
#include "sources/sysfs/text.h"

namespace warpsight {
namespace {

using pci::Bus;
using pci::Gpu;
using pci::kVendors;

constexpr std::array kOptions = {
    OptionDef{"enabled", OptionType::boolean, "true", "Count the GPUs the PCI bus has"},
    OptionDef{"period", OptionType::duration, "10s", "How often", "1s..1h"},
    OptionDef{"expected", OptionType::map, "",
              "GPUs there should be, by vendor (`nvidia: 8`), instead of as many as the bus has. "
              "Vendors: `nvidia`, `amd`, `habana`"},
};

using Counts = std::array<std::optional<int>, kVendors.size()>;

Result<Counts> configured_counts(const Options& options) {
  constexpr int kMost = 1024;
  Counts counts;
  for (const auto& [name, text] : options.map("expected")) {
    const auto vendor = std::ranges::find(kVendors, std::string_view(name), &pci::Vendor::name);
    if (vendor == kVendors.end()) {
      return fail("pci: expected: unknown vendor '" + name + "'", "use nvidia, amd or habana");
    }
    const auto count = to_number<int>(text);
    if (!count || *count < 0 || *count > kMost) {
      return fail("pci: expected: '" + text + "' is no number of GPUs",
                  "write for example nvidia: 8");
    }
    counts[static_cast<size_t>(vendor - kVendors.begin())] = count;
  }
  return counts;
}

class PciSource final : public Source {
 public:
  PciSource(const SourceContext& context, const Counts& configured)
      : clock_(context.clock),
        entities_(context.entities),
        period_(context.options.duration("period")),
        // A simulation's GPUs are on no bus, and the real ones play no part in it.
        read_bus_(context.simulate.empty()),
        configured_(configured),
        bus_(context.root) {}

  Result<> collect(Batch& out) override {
    out.begin(clock_.now(), period_);
    Counts counts = configured_;
    const int error = read_bus_ ? bus_.scan() : 0;
    // A machine without a PCI bus has no GPUs on it.
    const bool failed = error != 0 && error != ENOENT;
    if (!failed) {
      count_bus(counts);
      tell_changes(out);
    }
    for (size_t vendor = 0; vendor < kVendors.size(); ++vendor) {
      if (const auto count = counts[vendor]) {
        out.add(Metric::gpu_devices, entity_of(vendor), *count);
      } else if (!failed) {
        end(vendor, out);
      }
    }
    if (failed) return fail_errno("cannot list " + bus_.path(), error);
    return {};
  }

 private:
  void count_bus(Counts& counts) const {
    if (!read_bus_) return;
    for (const Gpu& gpu : bus_.gpus()) {
      const auto vendor = static_cast<size_t>(gpu.vendor - kVendors.data());
      if (configured_[vendor] || !gpu.ours()) continue;
      counts[vendor] = counts[vendor].value_or(0) + 1;
    }
  }

  // A device that leaves the bus takes its place among the expected with it: say so.
  void tell_changes(Batch& out) {
    const auto same = [](const Gpu& a, const Gpu& b) { return a.address == b.address; };
    if (known_ && !std::ranges::equal(*known_, bus_.gpus(), same)) {
      tell_missing(*known_, bus_.gpus(), "gpu.pci.removed", Severity::warning,
                   "GPU left the PCI bus", out);
      tell_missing(bus_.gpus(), *known_, "gpu.pci.added", Severity::info,
                   "GPU appeared on the PCI bus", out);
    } else if (known_) {
      return;
    }
    known_ = bus_.gpus();
  }

  void tell_missing(const std::vector<Gpu>& from, const std::vector<Gpu>& in, std::string_view name,
                    Severity severity, std::string_view message, Batch& out) const {
    for (const Gpu& gpu : from) {
      if (std::ranges::find(in, gpu.address, &Gpu::address) != in.end()) continue;
      out.events.push_back(
          {clock_.now(),
           std::string(name),
           severity,
           kNoEntity,
           std::string(message),
           {{"gpu.vendor", std::string(gpu.vendor->name)}, {"gpu.pci.address", gpu.address}}});
    }
  }

  EntityId entity_of(size_t vendor) {
    EntityId& entity = expected_[vendor];
    if (!entity) {
      entity = entities_.intern(EntityKind::facet, kNoEntity,
                                {{"gpu.state", "expected"}, {"gpu.vendor", kVendors[vendor].name}});
    }
    return entity;
  }

  void end(size_t vendor, Batch& out) {
    if (!expected_[vendor]) return;
    out.gone.push_back(expected_[vendor]);
    expected_[vendor] = kNoEntity;
  }

  const Clock& clock_;
  EntityTable& entities_;
  Duration period_;
  bool read_bus_;
  Counts configured_;
  Bus bus_;
  std::optional<std::vector<Gpu>> known_;  // as of the scan before
  std::array<EntityId, kVendors.size()> expected_{};
};

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  auto configured = configured_counts(context.options);
  if (!configured) return tl::unexpected(configured.error());
  return std::make_unique<PciSource>(context, *configured);
}

Finding describe_gpu(const Gpu& gpu) {
  const std::string what = std::string(gpu.vendor->name) + " GPU at " + gpu.address;
  if (!gpu.ours()) {
    return {Finding::State::ok, what + " is bound to " + gpu.driver + ": left alone", {}};
  }
  if (gpu.driver.empty()) {
    return {Finding::State::missing, what + " has no driver",
            "load the " + std::string(gpu.vendor->driver) +
                " kernel module; if it is loaded, see dmesg: the GPU may be dead"};
  }
  return {Finding::State::ok, what + ", driver " + gpu.driver, {}};
}

std::vector<Finding> diagnose(const SourceContext& context) {
  Bus bus(context.root);
  if (const int error = bus.scan(); error != 0) {
    return {{Finding::State::missing, "cannot list " + bus.path() + ": " + errno_text(error),
             "mount the host's /sys under the root"}};
  }
  if (bus.gpus().empty()) return {{Finding::State::ok, "no GPU on the PCI bus", {}}};
  std::vector<Finding> findings;
  for (const Gpu& gpu : bus.gpus()) findings.push_back(describe_gpu(gpu));
  return findings;
}

}  // namespace

constinit const SourceDef kPciSource = {
    .name = "pci",
    .summary = "GPUs the PCI bus has, to notice those that went missing",
    .isolation = Isolation::thread,
    .vendor = {},
    .options = kOptions,
    .make = make,
    .diagnose = diagnose,
};

}  // namespace warpsight
