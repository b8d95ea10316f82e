// Processes that a file lists while the scenario plays (`processes_from`): real ones of this
// machine, put on simulated GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "simulate/scenario.h"

namespace warpsight::simulate {

// By GPU.
class ProcessLists {
 public:
  // Lines that make no sense, are of no GPU of the scenario, or have no end yet are left out.
  ProcessLists(std::string_view text, const std::vector<Gpu>& gpus);
  ProcessLists() = default;

  const std::vector<Process>& of(std::size_t gpu) const;

 private:
  void take(std::string_view line, const std::vector<Gpu>& gpus);

  std::vector<std::vector<Process>> lists_;
  std::size_t count_ = 0;
};

// Thread-safe.
class ListedProcesses {
 public:
  static constexpr std::size_t kMaxFile = std::size_t{1} << 20;

  // The scenario outlives it.
  explicit ListedProcesses(const Scenario& scenario) : scenario_(scenario) {}

  // As the file is now; it is read only when it is another than the last time. No file: none.
  std::shared_ptr<const ProcessLists> now() const;

 private:
  using Mark = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;

  std::optional<Mark> mark() const;

  const Scenario& scenario_;
  mutable std::mutex mutex_;
  mutable std::optional<Mark> seen_;
  mutable std::shared_ptr<const ProcessLists> lists_ = std::make_shared<const ProcessLists>();
};

// The name the kernel keeps of a process; empty when there is none.
std::string real_process_name(std::uint32_t pid);

}  // namespace warpsight::simulate
