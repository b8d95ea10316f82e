// What a client says it can take.
#pragma once

#include <string_view>

#include "sinks/prometheus/page_format.h"

namespace warpsight {

// The page format an Accept header prefers; classic where it says nothing of the kind.
PageFormat negotiate_page(std::string_view accept);

// Whether an Accept-Encoding header allows gzip.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace warpsight
