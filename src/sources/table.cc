#include "sources/table.h"

#include <algorithm>
#include <array>

#include "sources/engines/dcgm_source.h"
#include "sources/engines/scrape_source.h"
#include "sources/host/host.h"
#include "sources/kmsg/kmsg.h"
#include "sources/kubernetes/kubernetes_source.h"
#include "sources/nvml/source.h"
#include "sources/pci/pci.h"
#include "sources/processes/processes_source.h"
#include "sources/slurm/slurm_source.h"

namespace warpsight {

std::span<const SourceDef> source_table() {
  static const std::array table = {
      nvml::kDefinition,
      kPciSource,
      kKmsgSource,
      kHostSource,
      kubernetes::kKubernetesSource,
      slurm::kSlurmSource,
      kProcessesSource,
      engines::kScrapeSource,
      engines::kDcgmSource,
  };
  return table;
}

const SourceDef* find_source(std::string_view name) {
  const auto found = std::ranges::find(source_table(), name, &SourceDef::name);
  return found == source_table().end() ? nullptr : &*found;
}

}  // namespace warpsight
