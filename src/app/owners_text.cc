#include "app/owners_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace warpsight {
namespace {

using identity::DeviceOwner;
using identity::DeviceOwners;
using identity::OwnerProcess;

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

std::string_view value_of(const DeviceOwners& device, std::string_view key) {
  const auto found = std::ranges::find(device.attributes, key, &Attribute::key);
  return found == device.attributes.end() ? std::string_view{} : std::string_view(found->value);
}

std::string share(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f} %", 100 * *value) : "not known";
}

std::string bytes(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f} GiB", *value / kGibi) : "not known";
}

std::string headline(const DeviceOwners& device) {
  const std::string name =
      device.is_mig
          ? fmt::format("GPU {} MIG {} {}  {}", value_of(device, "gpu.index"),
                        value_of(device, "gpu.mig.instance_id"),
                        value_of(device, "gpu.mig.profile"), value_of(device, "gpu.mig.uuid"))
          : fmt::format("GPU {}  {}  {}", value_of(device, "gpu.index"),
                        value_of(device, "gpu.model"), value_of(device, "gpu.uuid"));
  if (device.divided) return name + "  divided into MIG instances\n";
  return name + fmt::format("  busy {}, memory {} of {}\n", share(device.utilization),
                            bytes(device.memory_used), bytes(device.memory_total));
}

std::string how(const DeviceOwner& owner) {
  const bool held = !owner.held_by.empty();
  const bool used = !owner.used_by.empty();
  std::string out = held ? fmt::format("holds it ({})", fmt::join(owner.held_by, ", "))
                         : std::string("was not given it");
  out +=
      used ? fmt::format("{} uses it ({})", held ? " and" : " but", fmt::join(owner.used_by, ", "))
           : std::string(", no process of it is there");
  // Where nothing gives devices out, using one is all there is to owning it.
  const bool given_out = owner.kind == OwnerKind::pod || owner.kind == OwnerKind::slurm_job;
  return held || given_out ? out : fmt::format("uses it ({})", fmt::join(owner.used_by, ", "));
}

void add_process(std::string& out, const OwnerProcess& process) {
  out += fmt::format("      {}[{}]  {}{}\n", process.name, process.pid, bytes(process.memory),
                     process.evidence.empty() ? "" : "  known by " + process.evidence);
}

void add_owner(std::string& out, const DeviceOwner& owner) {
  out += fmt::format("  {}  {}\n", owner.name, how(owner));
  out += fmt::format("      busy {}, memory {}{}\n", share(owner.utilization), bytes(owner.memory),
                     owner.tenant.empty() ? "" : ", tenant " + owner.tenant);
  for (const OwnerProcess& process : owner.processes) add_process(out, process);
}

void add_device(std::string& out, const DeviceOwners& device) {
  out += headline(device);
  for (const DeviceOwner& owner : device.owners) add_owner(out, owner);
  if (!device.unknown.empty()) {
    out += "  processes whose owner nobody could tell (see --explain and `warpsight doctor`)\n";
    for (const OwnerProcess& process : device.unknown) add_process(out, process);
  }
  if (device.owners.empty() && device.unknown.empty() && !device.divided) out += "  nobody\n";
}

}  // namespace

std::string owners_text(const identity::OwnersReport& report, bool explain) {
  std::string out;
  for (const DeviceOwners& device : report.devices) add_device(out, device);
  if (report.devices.empty()) out += "no GPU was found; `warpsight doctor` says why\n";
  if (!explain) return out;
  for (const identity::SourceLookups& source : report.lookups) {
    out += fmt::format("\n{}\n", source.source);
    if (source.lookups.empty()) out += "  nothing was asked\n";
    for (const Lookup& lookup : source.lookups) {
      out += fmt::format("  {}\n    {}\n", lookup.question, lookup.answer);
    }
  }
  if (report.lookups.empty()) {
    out += "\nno source of owners ran: enable processes, kubernetes or slurm\n";
  }
  return out;
}

}  // namespace warpsight
