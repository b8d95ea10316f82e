// The processes on a GPU or a MIG instance: their memory, and what part of the GPU each uses.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class ProcessList {
 public:
  // More than this on one GPU are left out, the highest ids first.
  static constexpr size_t kMaxProcesses = 512;

  explicit ProcessList(EntityId owner);

  // Who is there, and how much memory each holds. Those that ended are put among the gone.
  // `device` is the GPU's handle or the MIG instance's.
  void read(Pass& pass, abi::Device device);

  // The GPU's driver only: MIG instances have no such figures.
  void read_utilization(Pass& pass);
  void utilization_not_in_mig_mode(Pass& pass);

  void retire(Batch& out);

 private:
  enum Task : size_t { compute, memory, encoder, decoder, task_count };

  struct Process {
    unsigned pid = 0;
    EntityId entity;
    bool seen = false;
    unsigned long long used = abi::kValueNotAvailable;
    unsigned samples = 0;
    std::array<unsigned, task_count> percent{};  // summed over samples
    std::array<EntityId, task_count> tasks{};    // made when first needed
  };

  // One of the driver's three lists of processes.
  struct List {
    bool has_v3 = true;
    bool has_v2 = true;
    Reading reading;
  };

  template <typename V3, typename V1>
  bool read_list(Pass& pass, abi::Device device, List& list, const V3& v3, const V3& v2,
                 const V1& v1);
  void note(Pass& pass, unsigned pid, unsigned long long used);
  Process* find(unsigned pid);
  EntityId make_entity(Pass& pass, unsigned pid);
  void add_utilization(Pass& pass, Process& process);

  EntityId owner_;
  std::vector<Process> processes_;  // by pid
  size_t left_out_ = 0;
  List compute_, graphics_, mps_;
  Reading utilization_;
  unsigned long long last_seen_us_ = 0;
};

// The name of a process's executable, from procfs under `root`; empty when it may not be read.
std::string executable_name(const std::string& root, unsigned pid);

}  // namespace warpsight::nvml
