// The source `kubernetes`: which containers hold which GPUs, and whose pods they are of.
#pragma once

#include <memory>

#include "runtime/source.h"
#include "sources/kubernetes/metadata.h"

namespace warpsight::kubernetes {

extern const SourceDef kKubernetesSource;

// With metadata from elsewhere than the config says.
Result<std::unique_ptr<Source>> make_with(const SourceContext& context,
                                          std::unique_ptr<Metadata> metadata);

}  // namespace warpsight::kubernetes
