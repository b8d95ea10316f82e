// GPM: activity between two samples.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include "simulate/nvml/api.h"

namespace warpsight::nvml::abi {

// Behind the opaque handle: a moment on a GPU. The integrals of both moments give the rest.
struct GpmSampleHandle {
  const simulate::World* world = nullptr;
  const SimulatedGpu* gpu = nullptr;
  unsigned gpu_instance = kNoInstance;
  Seconds t = 0;
};

namespace {

constexpr double kMiB = 0x1p20;

struct MetricRow {
  unsigned id;
  Reading reading;
  const char* name;
};
constexpr MetricRow kActivities[] = {
    {gpm::kGraphicsUtil, Reading::graphics_active, "gract"},
    {gpm::kSmUtil, Reading::sm_active, "smutil"},
    {gpm::kSmOccupancy, Reading::sm_occupancy, "smocc"},
    {gpm::kIntegerUtil, Reading::integer_active, "intutil"},
    {gpm::kAnyTensorUtil, Reading::tensor_active, "mmaact"},
    {gpm::kDfmaTensorUtil, Reading::tensor_dfma_active, "dfmat"},
    {gpm::kHmmaTensorUtil, Reading::tensor_hmma_active, "hmmat"},
    {gpm::kDmmaTensorUtil, Reading::tensor_dmma_active, "dmmat"},
    {gpm::kImmaTensorUtil, Reading::tensor_imma_active, "immat"},
    {gpm::kDramBandwidthUtil, Reading::dram_active, "dram"},
    {gpm::kFp64Util, Reading::fp64_active, "fp64"},
    {gpm::kFp32Util, Reading::fp32_active, "fp32"},
    {gpm::kFp16Util, Reading::fp16_active, "fp16"},
};

// Whether NVML knows such a metric at all; one unknown id spoils the whole query.
bool known(unsigned id) {
  return (id >= 1 && id <= 13) || id == gpm::kPcieTx || id == gpm::kPcieRx ||
         (id >= 30 && id <= 37) || (id >= 40 && id <= 47) || id == 50 || id == 51 ||
         (id >= 60 && id <= 97) || (id >= 100 && id < gpm::kMaxMetrics && id != 210 && id != 211);
}

// Mean over the time between the samples, of the instance where they are of one.
double mean(const GpmSampleHandle& first, const GpmSampleHandle& second, Reading reading) {
  const SimulatedGpu& gpu = *first.gpu;
  if (first.gpu_instance == kNoInstance) return gpu.mean(reading, first.t, second.t);
  double sum = 0;
  double slices = 0;
  for (const simulate::MigInstance& mig : gpu.gpu().mig) {
    if (mig.gpu_instance != first.gpu_instance) continue;
    sum += gpu.mean(reading, mig, first.t, second.t) * mig.compute_slices;
    slices += mig.compute_slices;
  }
  return slices > 0 ? sum / slices : 0;
}

std::optional<unsigned> link_of(unsigned id, bool& transmits) {
  for (unsigned link = 0; link < kMaxNvLinks; ++link) {
    transmits = id == gpm::nvlink_tx(link);
    if (transmits || id == gpm::nvlink_rx(link)) return link;
  }
  return std::nullopt;
}

void set_info(GpmMetric& metric, const char* name, const char* unit) {
  // NVML's structure wants pointers to non-const; nobody may write through them.
  metric.info.short_name = metric.info.long_name = const_cast<char*>(name);
  metric.info.unit = const_cast<char*>(unit);
}

Return link_rate(const GpmSampleHandle& first, const GpmSampleHandle& second, GpmMetric& metric) {
  const unsigned links = first.gpu->spec().nvlinks;
  const auto rate = [&](bool transmits) {
    return mean(first, second, transmits ? Reading::nvlink_tx : Reading::nvlink_rx) / kMiB;
  };
  set_info(metric, "nvl", "MiB/s");
  if (metric.id == gpm::kNvLinkTotalTx || metric.id == gpm::kNvLinkTotalRx) {
    metric.value = links == 0 ? 0 : rate(metric.id == gpm::kNvLinkTotalTx);
    return Return::success;
  }
  bool transmits = false;
  const auto link = link_of(metric.id, transmits);
  if (!link) return Return::not_supported;
  metric.value = *link < links ? rate(transmits) / links : 0;
  return Return::success;
}

Return read_metric(const GpmSampleHandle& first, const GpmSampleHandle& second, GpmMetric& metric) {
  if (first.gpu->gpm_unsupported(metric.id)) return Return::not_supported;
  for (const MetricRow& row : kActivities) {
    if (row.id != metric.id) continue;
    set_info(metric, row.name, "%");
    metric.value = 100 * mean(first, second, row.reading);
    return Return::success;
  }
  // The engines and links outside the instances belong to none of them.
  if (first.gpu_instance != kNoInstance) return Return::not_supported;
  if (metric.id == gpm::kPcieTx || metric.id == gpm::kPcieRx) {
    const bool transmits = metric.id == gpm::kPcieTx;
    set_info(metric, transmits ? "pcitx" : "pcirx", "MiB/s");
    metric.value = mean(first, second, transmits ? Reading::pcie_tx : Reading::pcie_rx) / kMiB;
    return Return::success;
  }
  if (metric.id >= gpm::kNvDec0Util && metric.id <= gpm::kNvOfa0Util + 1) {
    set_info(metric, "engine", "%");
    const bool decoder = metric.id == gpm::kNvDec0Util;
    metric.value = decoder ? 100 * mean(first, second, Reading::decoder_utilization) : 0;
    return Return::success;
  }
  return link_rate(first, second, metric);
}

Return take_sample(const Call& call, GpmSample sample, unsigned gpu_instance) {
  if (!call.spec().gpm) return Return::not_supported;
  *sample = {call.world, call.gpu, gpu_instance, call.t};
  return Return::success;
}

}  // namespace

Return nvmlGpmQueryDeviceSupport(Device device, GpmSupport* support) {
  const Call call = enter_any(Function::nvmlGpmQueryDeviceSupport, device, support != nullptr);
  if (!call) return call.result;
  if (support->version != kGpmSupportVersion) return Return::argument_version_mismatch;
  return call.put(&support->supported, call.spec().gpm ? 1 : 0);
}

Return nvmlGpmSampleAlloc(GpmSample* sample) {
  const Call call = enter_library(Function::nvmlGpmSampleAlloc, sample != nullptr);
  if (!call) return call.result;
  *sample = new (std::nothrow) GpmSampleHandle;
  return *sample == nullptr ? Return::memory : Return::success;
}

Return nvmlGpmSampleFree(GpmSample sample) {
  const Call call = enter_library(Function::nvmlGpmSampleFree, sample != nullptr);
  delete sample;  // the client's memory, whatever became of the driver
  return call.result;
}

Return nvmlGpmSampleGet(Device device, GpmSample sample) {
  const Call call = enter(Function::nvmlGpmSampleGet, device, sample != nullptr);
  if (!call) return call.result;
  if (call.gpu->mig_enabled()) return Return::not_supported;
  return take_sample(call, sample, kNoInstance);
}

Return nvmlGpmMigSampleGet(Device device, unsigned gpu_instance_id, GpmSample sample) {
  const Call call = enter(Function::nvmlGpmMigSampleGet, device, sample != nullptr);
  if (!call) return call.result;
  const auto& instances = call.gpu->gpu().mig;
  const bool there = std::any_of(instances.begin(), instances.end(), [&](const auto& mig) {
    return mig.gpu_instance == gpu_instance_id;
  });
  return there ? take_sample(call, sample, gpu_instance_id) : Return::invalid_argument;
}

Return nvmlGpmMetricsGet(GpmMetricsGet* metrics) {
  const Call call = enter_library(Function::nvmlGpmMetricsGet, metrics != nullptr);
  if (!call) return call.result;
  if (metrics->version != kGpmMetricsGetVersion) return Return::argument_version_mismatch;
  const GpmSample first = metrics->first;
  const GpmSample second = metrics->second;
  if (first == nullptr || second == nullptr || first == second || first->gpu == nullptr ||
      first->gpu != second->gpu || first->gpu_instance != second->gpu_instance ||
      first->world != call.world || metrics->count > gpm::kMaxMetrics) {
    return Return::invalid_argument;
  }
  const bool all_known = std::all_of(metrics->metrics, metrics->metrics + metrics->count,
                                     [](const GpmMetric& metric) { return known(metric.id); });
  if (!all_known) return Return::invalid_argument;
  for (unsigned i = 0; i < metrics->count; ++i) {
    GpmMetric& metric = metrics->metrics[i];
    metric.result = read_metric(*first, *second, metric);
    if (call.garbage) metric.value = std::numeric_limits<double>::quiet_NaN();
  }
  return Return::success;
}

}  // namespace warpsight::nvml::abi
