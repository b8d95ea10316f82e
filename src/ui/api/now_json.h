// The node at the last publish, in one document: what the page and `top` show at a glance.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/alert.h"
#include "core/registry.h"
#include "identity/owners_report.h"

namespace warpsight {

// The agent, as far as the document tells of it.
struct AgentBasics {
  std::string host;
  std::string version;
  std::string scenario = {};  // the simulation being played; empty: none
  Duration uptime{};
  Duration interval{};  // between publishes
};

// Ids of the GPUs that an engine, by its address, is known to run on.
using EngineGpus = std::map<std::string, std::vector<std::string>, std::less<>>;

struct NowInputs {
  const Registry& registry;
  const EntityTable& entities;
  const AgentBasics& agent;
  const identity::OwnersReport& owners;
  std::span<const Alert> alerts;
  const EngineGpus& engine_gpus;
};

// On one line, without its end. The registry is held while values are copied, not while they are
// written.
void append_now_json(std::string& out, const NowInputs& inputs);

}  // namespace warpsight
