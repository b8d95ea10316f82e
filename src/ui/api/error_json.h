// {"error": "...", "hint": "..."}: how every path of the interface says no.
#pragma once

#include <string>

#include "core/result.h"

namespace warpsight {

void append_error_json(std::string& out, const Error& error);

}  // namespace warpsight
