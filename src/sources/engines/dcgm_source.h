// The source `dcgm`: DCGM exporter's page. It fills gaps; where the driver's own source tells of a
// GPU, that one is believed.
#pragma once

#include "runtime/source.h"

namespace warpsight::engines {

extern const SourceDef kDcgmSource;

}  // namespace warpsight::engines
