// The source `scrape`: pages of serving engines, named by the config or found on this node.
#pragma once

#include "runtime/source.h"

namespace warpsight::engines {

extern const SourceDef kScrapeSource;

}  // namespace warpsight::engines
