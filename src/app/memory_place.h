// Where this node's memory is kept, and how, as the config says.
#pragma once

#include <string>

#include "app/config.h"
#include "history/history.h"

namespace warpsight {

// What a scenario plays is kept apart from what hardware said.
HistorySettings history_settings(const Config& config, bool simulated);
std::string alerts_file(const Config& config, bool simulated);

}  // namespace warpsight
