// What Slurm knows of a job, as far as it concerns one node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"

namespace warpsight::slurm {

struct HeldGpu {
  unsigned index = 0;   // Slurm's (IDX) among the node's GPUs
  bool shared = false;  // a shard or an MPS share: others may hold it too

  friend bool operator==(const HeldGpu&, const HeldGpu&) = default;
};

struct Job {
  uint64_t id = 0;  // raw: an array's task has one of its own
  std::string name = {};
  std::string user = {};
  std::string account = {};
  std::string partition = {};
  std::string qos = {};
  std::string cluster = {};
  std::string state = {};  // "RUNNING"; several are joined by '+'
  std::string start = {};  // when it was started, as Slurm writes it
  std::optional<uint64_t> array_job = {};
  std::optional<uint64_t> array_task = {};
  std::optional<uint64_t> het_job = {};
  std::optional<uint64_t> het_offset = {};
  bool here = false;               // it was given the node
  std::vector<HeldGpu> gpus = {};  // of the node, in the order of their indices

  // Its GPUs are known, or it has none: not while it waits or the node is being made ready.
  bool settled() const;
};

// As Slurm writes no value: "(null)", "N/A".
bool is_none(std::string_view text);

// Every GPU that the resources of one node name, once, an exclusive one before a share of it.
std::vector<HeldGpu> held_gpus(std::string_view gres);

// slurm.* of what is known; `cluster` where the job does not tell its own.
std::vector<Attribute> attributes_of(const Job& job, std::string_view cluster);

}  // namespace warpsight::slurm
