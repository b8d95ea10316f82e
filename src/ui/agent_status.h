// What the pages say of the agent itself. The agent's assembly fills it on request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "history/history.h"
#include "identity/owners_report.h"

namespace warpsight {

struct SourceStatus {
  std::string name;
  std::string summary;
  bool enabled = true;
  bool up = false;  // its last run succeeded
  bool simulated = false;
  Duration period{};
  Duration duration{};  // of its last run
  uint64_t errors = 0;
  uint64_t restarts = 0;  // of its probe
  size_t series = 0;
  std::string last_error = {};  // what to do included; empty while up
};

struct SinkStatus {
  std::string name;
  std::string target;  // a path, an address
  bool up = false;     // its last delivery succeeded
  uint64_t sent = 0;   // points
  uint64_t failures = 0;
  std::string last_error = {};
  std::string state = "ok";  // or "failing", "unauthorized"
  uint64_t dropped = 0;      // points that never reached the peer
  uint64_t waiting_points = 0;
  uint64_t waiting_bytes = 0;
  Duration waiting_for{};  // since the oldest that waits
};

struct AgentStatus {
  std::string version;
  std::string host;
  std::string scenario;  // the simulation being played; empty: none
  Duration uptime{};
  std::vector<std::string> found;  // the lines the agent printed at its start
  std::vector<SourceStatus> sources;
  std::vector<SinkStatus> sinks;
  std::optional<HistoryStatus> history;  // nothing: none is kept
};

class StatusProvider {
 public:
  virtual ~StatusProvider() = default;
  virtual AgentStatus status() const = 0;
  virtual identity::OwnersReport owners() const = 0;
  virtual Duration publish_interval() const = 0;
};

}  // namespace warpsight
