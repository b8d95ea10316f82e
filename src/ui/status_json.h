// GET /api/v1/status.
#pragma once

#include <string>

#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "ui/agent_status.h"

namespace warpsight {

void append_status_json(std::string& out, const AgentStatus& status, const Registry& registry,
                        const EntityTable& entities, Time now);

}  // namespace warpsight
