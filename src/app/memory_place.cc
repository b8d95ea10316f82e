#include "app/memory_place.h"

namespace warpsight {

HistorySettings history_settings(const Config& config, bool simulated) {
  const Options& agent = config.agent;
  return {.directory = agent.text("state_dir") + (simulated ? "/history-simulated" : "/history"),
          .max_bytes = agent.size("history.max_size"),
          .full_for = agent.duration("history.full_for"),
          .kept_for = agent.duration("history.kept_for"),
          .flush_interval = agent.duration("history.flush_interval")};
}

std::string alerts_file(const Config& config, bool simulated) {
  return config.agent.text("state_dir") + (simulated ? "/alerts-simulated.json" : "/alerts.json");
}

}  // namespace warpsight
