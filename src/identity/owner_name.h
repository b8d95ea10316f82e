// What is said of an owner: its name for people, its tenant, its memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/registry.h"
#include "identity/join.h"

namespace warpsight::identity {

// "default/train-0/worker", "Slurm job 17 (train) of alice", "container web", "python3[4711]".
std::string name_of(const KnownOwner& owner);

// The first of the attributes that the owner has, private ones included; empty when it has none.
std::string tenant_of(const KnownOwner& owner, std::span<const std::string> rule);

// As told with the last publish, or as read last where it was not told.
double current(const Series& series);

// Bytes that its processes hold on the device, as the driver reports them; nullopt when it does not
// for one of them.
std::optional<double> memory_of(const View& view, const Joined& joined, const Tenure& tenure);

// By process: the share of time in which its kernels ran, as far as the driver samples it.
using ProcessShares = std::unordered_map<uint32_t, double>;
ProcessShares process_shares(const View& view);

// Its part of what the device did in the publish interval: all where it is the only owner, else
// what the driver's samples say of its processes. nullopt when nothing says.
std::optional<double> utilization_of(const View& view, const Joined& joined, const Tenure& tenure,
                                     const ProcessShares& shares);

}  // namespace warpsight::identity
