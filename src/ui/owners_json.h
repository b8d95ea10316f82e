// GET /api/v1/owners, and what `warpsight owners --json` prints.
#pragma once

#include <string>

#include "identity/owners_report.h"

namespace warpsight {

void append_owners_json(std::string& out, const identity::OwnersReport& report);

}  // namespace warpsight
