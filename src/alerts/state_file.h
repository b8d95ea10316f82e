// What outlives a restart: alerts and silences, as one JSON file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alerts/live_alert.h"
#include "alerts/silences.h"
#include "core/result.h"

namespace warpsight::alerts {

struct SavedState {
  std::vector<LiveAlert> alerts;
  std::vector<Silence> silences;
};

std::string state_text(const SavedState& state);
// Fails on what state_text() did not write; trusts nothing of it.
Result<SavedState> parse_state(std::string_view text);

// Empty when there is no file. One that cannot be understood is set aside beside itself, with a
// line in the log.
SavedState read_state(const std::string& path);

}  // namespace warpsight::alerts
