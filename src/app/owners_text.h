// What `warpsight owners` prints for people.
#pragma once

#include <string>

#include "identity/owners_report.h"

namespace warpsight {

// `explain` adds every lookup and its answer.
std::string owners_text(const identity::OwnersReport& report, bool explain);

}  // namespace warpsight
