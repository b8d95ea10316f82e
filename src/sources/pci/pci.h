// The GPUs the PCI bus has, whether or not a driver still answers for them.
#pragma once

#include "runtime/source.h"

namespace warpsight {

extern const SourceDef kPciSource;

}  // namespace warpsight
