// What a simulated node is and does: the parsed form of a scenario file (docs/scenarios.md).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ownership.h"
#include "core/result.h"
#include "simulate/functions.h"
#include "simulate/gpu_spec.h"
#include "simulate/readings.h"
#include "simulate/signal.h"

namespace warpsight::simulate {

inline constexpr std::size_t kMaxGpus = 64;
inline constexpr std::size_t kMaxProcesses = 1024;
inline constexpr std::size_t kMaxOwners = 256;
inline constexpr std::size_t kMaxFaults = 256;
inline constexpr std::size_t kMaxMigInstances = 8;
inline constexpr std::size_t kMaxTimelinePoints = 200'000;  // of a whole scenario
inline constexpr std::size_t kMaxScenarioBytes = std::size_t{4} << 20;
inline constexpr Seconds kForever = std::numeric_limits<Seconds>::infinity();
inline constexpr std::uint32_t kOwnPid = 0;

struct Driver {
  std::string version = "580.95.05";
  std::string nvml_version;  // empty: "<cuda major>.<version>"
  unsigned cuda_major = 13, cuda_minor = 0;
  Seconds uptime = 3600;  // before the scenario began; counters start there
};

struct ClockSettings {
  std::optional<Seconds> frozen_at;  // scenario time stands still here
  std::optional<double> epoch;       // unix time of scenario time 0; unset: the real one
  double speed = 1;
};

struct MigInstance {
  std::string profile;
  unsigned gpu_instance = 0, compute_instance = 0;
  std::uint64_t memory = 0;
  unsigned gpu_slices = 0, compute_slices = 0, multiprocessors = 0;
  std::string uuid;
  Signal load;
};

enum class ProcessType { compute, graphics, mps };

struct Process {
  std::uint32_t pid = kOwnPid;  // kOwnPid: the process that loaded the fake
  std::string name;
  std::uint64_t memory = 0;
  double sm = 0;  // its part of the GPU's load
  // Of the file `processes_from`: a process of this machine, and `sm` is its use of the GPU itself,
  // whatever the load.
  bool real = false;
  ProcessType type = ProcessType::compute;
  Seconds from = 0, until = kForever;
  // Where `every` is set the process comes back that often, each time under the next pid,
  // and lives for `alive`.
  Seconds every = 0, alive = 0;
  int mig = -1;  // index into Gpu::mig
};

// Somebody to whom GPUs, or an instance of each, were given, and whose processes are on them.
struct ScenarioOwner {
  OwnerKind kind = OwnerKind::pod;
  std::vector<Attribute> attributes;
  std::uint64_t gpus = 0;  // bit per GPU
  int mig = -1;            // index into Gpu::mig; -1: whole GPUs
  std::vector<std::uint32_t> pids;
};

enum class FaultKind {
  hang,
  slow,
  error,
  lost,
  reload,
  xid,
  reset_counters,
  garbage,
  unsupported,
  vanish,
};

struct Fault {
  FaultKind kind = FaultKind::error;
  Seconds at = 0, until = kForever;
  std::uint64_t gpus = ~0ULL;  // bit per GPU
  FunctionSet functions;       // the calls it touches
  bool named = false;          // the scenario named them; else they are all
  Seconds delay = 0;           // slow
  unsigned error = 0;          // error: the NVML return code
  unsigned xid = 0;            // xid
  Seconds every = 0;           // xid: again this often; 0: once
};

struct Gpu {
  GpuSpec spec;
  Signal load;
  std::array<std::unique_ptr<Signal>, kReadingCount> readings;  // null: derived from the load
  bool mig_enabled = false;
  std::vector<MigInstance> mig;
  std::vector<Process> processes;
  FunctionSet unsupported;
  std::vector<std::uint16_t> unsupported_fields, unsupported_gpm;
};

struct Scenario {
  std::string name, summary;
  Driver driver;
  ClockSettings clock;
  std::vector<Gpu> gpus;
  std::string processes_from;  // a file that lists more processes; empty: none does
  std::vector<ScenarioOwner> owners;
  std::vector<Fault> faults;
};

struct BuiltinScenario {
  std::string_view name, summary;
};

// Sorted by name; the default, 8xh100, among them.
std::span<const BuiltinScenario> builtin_scenarios();

// A built-in scenario by name, or a file: what contains a '/' or '.' is taken for a path.
// Errors name the file and line; an unknown name lists the valid ones.
Result<Scenario> load_scenario(const std::string& name_or_path);

// From the text itself; `origin` stands for the file name in errors.
Result<Scenario> parse_scenario(std::string_view text, std::string_view origin);

}  // namespace warpsight::simulate
