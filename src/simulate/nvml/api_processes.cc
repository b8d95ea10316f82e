// Processes on a GPU: their memory, and their part of the load.
#include <algorithm>
#include <cmath>

#include "simulate/nvml/api.h"

namespace warpsight::nvml::abi {
namespace {

using simulate::LiveProcess;
using simulate::ProcessType;

// What a query for the size of the process samples is told, as by a real driver.
constexpr unsigned kSampleCapacity = 72;
constexpr Seconds kLongestWindow = 14.2;
constexpr Seconds kCell = 0.2;

unsigned percent(double ratio) { return simulate::to_u32(std::floor(100 * ratio + 0.5)); }

void store(ProcessInfoV1& info, const Call& call, const LiveProcess& live) {
  info.pid = live.pid;
  call.put(&info.used_gpu_memory, live.process->memory);
}

void store(ProcessInfo& info, const Call& call, const LiveProcess& live) {
  info.pid = live.pid;
  call.put(&info.used_gpu_memory, live.process->memory);
  info.gpu_instance_id = info.compute_instance_id = kNoInstance;
  if (live.process->mig < 0) return;
  const auto& mig = call.gpu->gpu().mig[static_cast<std::size_t>(live.process->mig)];
  info.gpu_instance_id = mig.gpu_instance;
  info.compute_instance_id = mig.compute_instance;
}

template <typename Info>
Return list(Function function, ProcessType type, Device device, unsigned* count, Info* processes) {
  const bool good = count != nullptr && (processes != nullptr || *count == 0);
  const Call call = enter_any(function, device, good);
  if (!call) return call.result;
  const unsigned room = *count;
  unsigned found = 0;
  call.gpu->for_each_process(call.t, call.mig_index, [&](const LiveProcess& live) {
    // A client of MPS is on the list of compute processes, too.
    const bool listed = live.process->type == type ||
                        (type == ProcessType::compute && live.process->type == ProcessType::mps);
    if (!listed) return;
    if (found < room) store(processes[found], call, live);
    ++found;
  });
  *count = found;
  return found > room ? Return::insufficient_size : Return::success;
}

// Calls use(live, sm, memory) for each process that did something since `last_seen_us`, in percent.
// Returns the stamp of those samples.
template <typename Use>
unsigned long long busy_processes(const Call& call, unsigned long long last_seen_us, Use use) {
  const simulate::Clock& clock = call.world->clock();
  const Seconds end = std::floor(call.t / kCell) * kCell;
  Seconds start = end - kLongestWindow;
  if (last_seen_us > 0) start = std::max(start, clock.time_of(last_seen_us));
  if (start >= end - 1e-6) return 0;
  const double load = call.gpu->mean(Reading::utilization, start, end);
  const double memory = call.gpu->mean(Reading::memory_utilization, start, end);
  call.gpu->for_each_process(end, -1, [&](const LiveProcess& live) {
    const auto sm = percent((live.process->real ? 1 : load) * live.process->sm);
    const auto memory_part = percent(memory * live.process->sm);
    if (sm + memory_part > 0) use(live, sm, memory_part);
  });
  return clock.stamp(end);
}

}  // namespace

Return nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count,
                                            ProcessInfoV1* processes) {
  return list(Function::nvmlDeviceGetComputeRunningProcesses, ProcessType::compute, device, count,
              processes);
}

Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count,
                                               ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetComputeRunningProcesses_v2, ProcessType::compute, device,
              count, processes);
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count,
                                               ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetComputeRunningProcesses_v3, ProcessType::compute, device,
              count, processes);
}

Return nvmlDeviceGetGraphicsRunningProcesses(Device device, unsigned* count,
                                             ProcessInfoV1* processes) {
  return list(Function::nvmlDeviceGetGraphicsRunningProcesses, ProcessType::graphics, device, count,
              processes);
}

Return nvmlDeviceGetGraphicsRunningProcesses_v2(Device device, unsigned* count,
                                                ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetGraphicsRunningProcesses_v2, ProcessType::graphics, device,
              count, processes);
}

Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, unsigned* count,
                                                ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetGraphicsRunningProcesses_v3, ProcessType::graphics, device,
              count, processes);
}

Return nvmlDeviceGetMPSComputeRunningProcesses(Device device, unsigned* count,
                                               ProcessInfoV1* processes) {
  return list(Function::nvmlDeviceGetMPSComputeRunningProcesses, ProcessType::mps, device, count,
              processes);
}

Return nvmlDeviceGetMPSComputeRunningProcesses_v2(Device device, unsigned* count,
                                                  ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetMPSComputeRunningProcesses_v2, ProcessType::mps, device, count,
              processes);
}

Return nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, unsigned* count,
                                                  ProcessInfo* processes) {
  return list(Function::nvmlDeviceGetMPSComputeRunningProcesses_v3, ProcessType::mps, device, count,
              processes);
}

Return nvmlDeviceGetProcessUtilization(Device device, ProcessUtilizationSample* samples,
                                       unsigned* count, unsigned long long last_seen_us) {
  const Call call = enter(Function::nvmlDeviceGetProcessUtilization, device, count != nullptr);
  if (!call) return call.result;
  if (call.gpu->mig_enabled()) return Return::not_supported;
  if (samples == nullptr || *count == 0) {
    *count = kSampleCapacity;
    return Return::insufficient_size;
  }
  unsigned written = 0;
  const unsigned long long stamp = busy_processes(
      call, last_seen_us, [&](const LiveProcess& live, unsigned sm, unsigned memory) {
        if (written == *count) return;
        ProcessUtilizationSample& sample = samples[written++];
        sample = {};
        sample.pid = live.pid;
        call.put(&sample.sm, sm);
        sample.memory = memory;
      });
  if (written == 0) return Return::not_found;
  for (unsigned i = 0; i < written; ++i) samples[i].time_us = stamp;
  *count = written;
  return Return::success;
}

Return nvmlDeviceGetProcessesUtilizationInfo(Device device, ProcessesUtilizationInfo* info) {
  const Call call = enter(Function::nvmlDeviceGetProcessesUtilizationInfo, device, info != nullptr);
  if (!call) return call.result;
  if (info->version != kProcessesUtilizationInfoV1) return Return::argument_version_mismatch;
  if (call.gpu->mig_enabled()) return Return::not_supported;
  if (info->processes == nullptr || info->count == 0) {
    info->count = kSampleCapacity;
    return Return::insufficient_size;
  }
  unsigned written = 0;
  const unsigned long long stamp = busy_processes(
      call, info->last_seen_us, [&](const LiveProcess& live, unsigned sm, unsigned memory) {
        if (written == info->count) return;
        ProcessUtilizationInfo& sample = info->processes[written++];
        sample = {};
        sample.pid = live.pid;
        call.put(&sample.sm, sm);
        sample.memory = memory;
      });
  if (written == 0) return Return::not_found;
  for (unsigned i = 0; i < written; ++i) info->processes[i].time_us = stamp;
  info->count = written;
  return Return::success;
}

}  // namespace warpsight::nvml::abi
