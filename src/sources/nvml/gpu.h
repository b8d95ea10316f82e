// One GPU: who it is, how it is, and all that reads it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sources/nvml/clocks.h"
#include "sources/nvml/ecc.h"
#include "sources/nvml/gpm.h"
#include "sources/nvml/info.h"
#include "sources/nvml/memory.h"
#include "sources/nvml/mig.h"
#include "sources/nvml/nvlink.h"
#include "sources/nvml/pcie.h"
#include "sources/nvml/power.h"
#include "sources/nvml/processes.h"
#include "sources/nvml/repair.h"
#include "sources/nvml/schedule.h"
#include "sources/nvml/temperature.h"
#include "sources/nvml/throttle.h"
#include "sources/nvml/utilization.h"

namespace warpsight::nvml {

struct ReaderOptions {
  Duration tick;
  bool gpm = true;
  bool processes = true;
};

// Everything that is read of a GPU whose handle is known. Made anew when the handle is, so that
// what the old driver did not support is asked again.
class Readers {
 public:
  struct Identity {
    EntityId entity;
    std::string_view uuid, pci, numa_node;
    size_t slot;
  };

  Readers(const Library& library, EntityTable& entities, const Identity& identity,
          const ReaderOptions& options);

  // What is due now. Stops where the pass halts.
  void read(Pass& pass);
  // Ends the entities that may not be there when the GPU comes back.
  void retire(Batch& out);

 private:
  struct Step;

  void follow_mig_mode(Pass& pass);
  void read_pcie_bytes(Pass& pass);

  EntityId entity_;
  ReaderOptions options_;
  Schedule schedule_;
  std::optional<bool> mig_enabled_;

  Info info_;
  Mig mig_;
  NvLink nvlink_;
  Fabric fabric_;
  Utilization utilization_;
  Power power_;
  Energy energy_;
  Fans fans_;
  DeviceMemory memory_;
  Bar1 bar1_;
  UnifiedMemory unified_memory_;
  Temperature temperature_;
  Clocks clocks_;
  ThrottleReasons throttle_;
  ThrottleTime throttle_time_;
  Ecc ecc_;
  RowRemap row_remap_;
  RetiredPages retired_pages_;
  PendingRepair pending_repair_;
  RecoveryAction recovery_;
  Pcie pcie_;
  PcieBytes pcie_bytes_;
  ProcessList processes_;
  std::optional<Gpm> gpm_;
};

struct Gpu {
  enum class State {
    unknown,  // not met yet
    present,
    lost,       // fell off the bus or needs a reset; looked at again now and then
    suspended,  // sleeps and must not be woken
    invisible,  // in sysfs, but the driver does not show it to this process
  };

  std::string address;  // PCI, as sysfs writes it; "index:N" before that is known
  unsigned index = 0;
  std::string uuid;
  std::string minor;  // of its device file; empty: not known
  State state = State::unknown;
  EntityId entity;
  abi::Device handle = nullptr;
  SteadyTime check_at{};  // of a lost one
  bool seen = false;      // by the enumeration that runs
  std::unique_ptr<Readers> readers;
  std::optional<Info> info;  // of a suspended one
};

}  // namespace warpsight::nvml
