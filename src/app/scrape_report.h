// What `warpsight scrape` tells a person of a page.
#pragma once

#include <string>

#include "app/scrape_reading.h"

namespace warpsight {

std::string describe_reading(const ScrapeReading& reading);

}  // namespace warpsight
