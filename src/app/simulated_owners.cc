#include "app/simulated_owners.h"

#include <fmt/format.h>

namespace warpsight {
namespace {

constexpr std::string_view kEvidence = "simulated";

void add_holdings(const simulate::Scenario& scenario, const simulate::ScenarioOwner& owner,
                  const std::string& key, Ownership& out) {
  for (size_t g = 0; g < scenario.gpus.size(); ++g) {
    if ((owner.gpus >> g & 1) == 0) continue;
    DeviceName device{
        .form = DeviceName::Form::index, .text = std::to_string(g), .vendor = "nvidia"};
    if (owner.mig >= 0) {
      const auto& instance = scenario.gpus[g].mig[static_cast<size_t>(owner.mig)];
      device.gpu_instance = static_cast<int>(instance.gpu_instance);
      device.compute_instance = static_cast<int>(instance.compute_instance);
    }
    out.holdings.push_back({key, std::move(device), std::string(kEvidence)});
  }
}

}  // namespace

Ownership simulated_owners(const simulate::Scenario& scenario) {
  Ownership told;
  for (const simulate::ScenarioOwner& owner : scenario.owners) {
    const std::string key = fmt::format("simulated/{}", told.owners.size());
    told.owners.push_back({.kind = owner.kind, .key = key, .attributes = owner.attributes});
    add_holdings(scenario, owner, key, told);
    for (const uint32_t pid : owner.pids) {
      told.members.push_back(
          {.pid = static_cast<pid_t>(pid), .owners = {key}, .evidence = std::string(kEvidence)});
    }
  }
  told.lookups.push_back(
      {fmt::format("scenario {}", scenario.name), fmt::format("{} owners", told.owners.size())});
  return told;
}

}  // namespace warpsight
