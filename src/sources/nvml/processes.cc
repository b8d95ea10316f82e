#include "sources/nvml/processes.h"

#include <algorithm>
#include <filesystem>

#include "platform/file.h"
#include "runtime/log.h"
#include "sources/nvml/text.h"

namespace warpsight::nvml {
namespace {

constexpr double kPercent = 0.01;
constexpr size_t kMaxListed = 4096;
constexpr std::string_view kTaskTypes[] = {"compute", "memory_controller", "encoder", "decoder"};

// Calls until the buffer is large enough; `count` is what the driver wrote.
template <typename F, typename Info>
abi::Return read_all(const F& function, abi::Device device, std::vector<Info>& buffer,
                     unsigned& count) {
  abi::Return result = abi::Return::insufficient_size;
  for (int attempt = 0; attempt < 3 && result == abi::Return::insufficient_size; ++attempt) {
    count = static_cast<unsigned>(buffer.size());
    result = function(device, &count, buffer.data());
    if (result != abi::Return::insufficient_size || buffer.size() >= kMaxListed) break;
    buffer.resize(std::clamp<size_t>(count + size_t{16}, buffer.size() * 2, kMaxListed));
  }
  count = std::min(count, static_cast<unsigned>(buffer.size()));
  return result;
}

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The fake's processes are not this machine's, so procfs knows nothing of them.
std::string simulated_name(const Library& lib, unsigned pid) {
  char name[256] = {};
  if (lib.nvmlSystemGetProcessName(pid, name, sizeof name) != abi::Return::success) return {};
  return std::string(file_name(clean_text(name)));
}

}  // namespace

std::string executable_name(const std::string& root, unsigned pid) {
  const std::string folder = under_root(root, "/proc/" + std::to_string(pid));
  if (auto comm = warpsight::read_file(folder + "/comm")) {
    while (comm->ends_with('\n')) comm->pop_back();
    return std::string(clean_text(*comm));
  }
  std::error_code error;
  std::string exe = std::filesystem::read_symlink(folder + "/exe", error).filename().string();
  return std::string(clean_text(exe));
}

ProcessList::ProcessList(EntityId owner)
    : owner_(owner), utilization_{{Metric::gpu_process_utilization, owner}} {
  compute_.reading = {{Metric::gpu_process_memory_used, owner}};
}

template <typename V3, typename V1>
bool ProcessList::read_list(Pass& pass, abi::Device device, List& list, const V3& v3, const V3& v2,
                            const V1& v1) {
  if (pass.halted() || !list.reading.wanted()) return false;
  unsigned count = 0;
  abi::Return result = abi::Return::not_supported;
  auto& found = pass.workspace.processes;
  if (list.has_v3) {
    result = read_all(v3, device, found, count);
    list.has_v3 = result != abi::Return::function_not_found;
  }
  if (!list.has_v3 && list.has_v2) {
    result = read_all(v2, device, found, count);
    list.has_v2 = result != abi::Return::function_not_found;
  }
  if (!list.has_v3 && !list.has_v2) {
    auto& old = pass.workspace.processes_v1;
    result = read_all(v1, device, old, count);
    if (!pass.settle(list.reading, result)) return false;
    for (unsigned i = 0; i < count; ++i) note(pass, old[i].pid, old[i].used_gpu_memory);
    return true;
  }
  if (!pass.settle(list.reading, result)) return false;
  for (unsigned i = 0; i < count; ++i) note(pass, found[i].pid, found[i].used_gpu_memory);
  return true;
}

void ProcessList::read(Pass& pass, abi::Device device) {
  for (Process& process : processes_) process.seen = false;
  left_out_ = 0;
  const Library& lib = pass.lib;
  const bool known = read_list(pass, device, compute_, lib.nvmlDeviceGetComputeRunningProcesses_v3,
                               lib.nvmlDeviceGetComputeRunningProcesses_v2,
                               lib.nvmlDeviceGetComputeRunningProcesses);
  read_list(pass, device, graphics_, lib.nvmlDeviceGetGraphicsRunningProcesses_v3,
            lib.nvmlDeviceGetGraphicsRunningProcesses_v2,
            lib.nvmlDeviceGetGraphicsRunningProcesses);
  read_list(pass, device, mps_, lib.nvmlDeviceGetMPSComputeRunningProcesses_v3,
            lib.nvmlDeviceGetMPSComputeRunningProcesses_v2,
            lib.nvmlDeviceGetMPSComputeRunningProcesses);
  if (left_out_ != 0) {
    log_limited(LogLevel::warn, "nvml.processes", "too many processes on one GPU",
                {{"limit", kMaxProcesses}, {"left_out", left_out_}});
  }
  // A list that could not be read says nothing about who ended.
  if (!known) return;
  std::erase_if(processes_, [&](const Process& process) {
    if (!process.seen && process.entity) pass.out.gone.push_back(process.entity);
    return !process.seen;
  });
  for (const Process& process : processes_) {
    if (process.used == abi::kValueNotAvailable) continue;
    pass.add({Metric::gpu_process_memory_used, process.entity}, static_cast<double>(process.used));
  }
}

ProcessList::Process* ProcessList::find(unsigned pid) {
  const auto at = std::ranges::lower_bound(processes_, pid, {}, &Process::pid);
  return at != processes_.end() && at->pid == pid ? &*at : nullptr;
}

// A process may be on several lists; its memory is the same on each that knows it.
void ProcessList::note(Pass& pass, unsigned pid, unsigned long long used) {
  Process* process = find(pid);
  if (process == nullptr) {
    if (processes_.size() >= kMaxProcesses) {
      ++left_out_;
      return;
    }
    const auto at = std::ranges::lower_bound(processes_, pid, {}, &Process::pid);
    Process born;
    born.pid = pid;
    born.entity = make_entity(pass, pid);
    process = &*processes_.insert(at, born);
  }
  if (!process->seen) process->used = abi::kValueNotAvailable;
  process->seen = true;
  if (used == abi::kValueNotAvailable) return;
  process->used = process->used == abi::kValueNotAvailable ? used : std::max(process->used, used);
}

EntityId ProcessList::make_entity(Pass& pass, unsigned pid) {
  const std::string name = pass.lib.simulated() ? simulated_name(pass.lib, pid)
                                                : executable_name(pass.context.root, pid);
  const std::string id = std::to_string(pid);
  const AttributeView attributes[] = {{"process.pid", id}, {"process.executable.name", name}};
  return pass.context.entities.intern(EntityKind::process, owner_,
                                      std::span(attributes, name.empty() ? 1 : 2));
}

void ProcessList::read_utilization(Pass& pass) {
  if (pass.halted() || !utilization_.wanted()) return;
  using std::chrono::microseconds;
  const Time since = pass.now - pass.period;
  const auto since_us = static_cast<unsigned long long>(
      std::chrono::duration_cast<microseconds>(since.time_since_epoch()).count());
  auto& samples = pass.workspace.process_samples;
  auto count = static_cast<unsigned>(samples.size());
  abi::Return result = pass.lib.nvmlDeviceGetProcessUtilization(pass.handle, samples.data(), &count,
                                                                std::max(last_seen_us_, since_us));
  // Only processes that did something have samples.
  if (result == abi::Return::not_found || result == abi::Return::no_data) {
    count = 0;
    result = abi::Return::success;
  }
  if (!pass.settle(utilization_, result)) return;
  for (unsigned i = 0; i < std::min<size_t>(count, samples.size()); ++i) {
    const abi::ProcessUtilizationSample& sample = samples[i];
    last_seen_us_ = std::max(last_seen_us_, sample.time_us);
    Process* process = find(sample.pid);
    if (process == nullptr) continue;
    ++process->samples;
    process->percent[compute] += std::min(sample.sm, 100U);
    process->percent[memory] += std::min(sample.memory, 100U);
    process->percent[encoder] += std::min(sample.encoder, 100U);
    process->percent[decoder] += std::min(sample.decoder, 100U);
  }
  for (Process& process : processes_) add_utilization(pass, process);
}

// Mean of the samples. A process that is there and has none was idle. Video engines get a series
// when a process first uses them, as few do.
void ProcessList::add_utilization(Pass& pass, Process& process) {
  for (size_t task = 0; task < task_count; ++task) {
    const bool video = task == encoder || task == decoder;
    if (video && process.percent[task] == 0 && !process.tasks[task]) continue;
    if (!process.tasks[task]) {
      process.tasks[task] =
          facet(pass.context.entities, process.entity, {{"gpu.task.type", kTaskTypes[task]}});
    }
    const double share =
        process.samples == 0 ? 0 : kPercent * process.percent[task] / process.samples;
    pass.add({Metric::gpu_process_utilization, process.tasks[task]}, share);
  }
  process.samples = 0;
  process.percent = {};
}

void ProcessList::utilization_not_in_mig_mode(Pass& pass) {
  pass.unsupported(utilization_, "MIG mode is on");
}

void ProcessList::retire(Batch& out) {
  for (const Process& process : processes_) {
    if (process.entity) out.gone.push_back(process.entity);
  }
  processes_.clear();
}

}  // namespace warpsight::nvml
