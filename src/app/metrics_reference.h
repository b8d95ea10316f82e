// The catalogue for readers: Markdown for people, JSON for scripts.
#pragma once

#include <string>

namespace warpsight {

std::string metrics_markdown();

// One line a metric.
std::string metrics_list();
std::string metrics_json();

}  // namespace warpsight
