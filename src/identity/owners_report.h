// Who owns what, for people and scripts: what `warpsight owners` and /api/v1/owners show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/entity.h"
#include "core/ownership.h"

namespace warpsight::identity {

struct OwnerProcess {
  std::string pid;
  std::string name;
  std::string evidence = {};          // how its owner is known; empty: it is not
  std::optional<double> memory = {};  // bytes
};

struct DeviceOwner {
  OwnerKind kind = OwnerKind::process;
  std::string name;  // "default/train-0/worker", "Slurm job 17 (train) of alice"
  std::string tenant;
  std::vector<Attribute> attributes;
  std::vector<std::string> held_by;  // evidence; empty: it uses what it was not given
  std::vector<std::string> used_by;
  Time since{};
  std::optional<double> busy;    // seconds; nothing where the device has no meter of it
  std::optional<double> energy;  // joules; likewise
  std::optional<double> utilization;
  std::optional<double> memory;
  std::vector<OwnerProcess> processes;
};

struct DeviceOwners {
  std::vector<Attribute> attributes;  // of the device: gpu.index, gpu.uuid...
  bool is_mig = false;
  bool divided = false;
  std::optional<double> utilization;
  std::optional<double> memory_used;
  std::optional<double> memory_total;
  std::vector<DeviceOwner> owners;
  std::vector<OwnerProcess> unknown;  // processes that nobody could tell the owner of
  double unattributed_busy = 0;
  double unattributed_energy = 0;
};

struct SourceLookups {
  std::string source;
  std::vector<Lookup> lookups;
};

struct OwnersReport {
  Time time{};
  std::vector<DeviceOwners> devices;
  std::vector<SourceLookups> lookups;
};

}  // namespace warpsight::identity
