// The catalogue for readers: Markdown for people, JSON for scripts.
#pragma once

#include <string>

namespace warpsight {

std::string metrics_markdown();
std::string metrics_json();

}  // namespace warpsight
