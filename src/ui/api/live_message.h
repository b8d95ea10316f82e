// `now` from what the agent provides, alone and as a server-sent event.
#pragma once

#include <string>

#include "ui/api/api_inputs.h"

namespace warpsight {

// On one line, without its end.
void append_now(std::string& out, ApiInputs& inputs);

// What every open stream of /api/v1/live gets after a publish, and a new one at its beginning.
std::string live_message(ApiInputs& inputs);

}  // namespace warpsight
