#include "sources/nvml/gpm.h"

#include <cmath>

namespace warpsight::nvml {
namespace {

constexpr double kPercent = 0.01;
constexpr double kMebi = 1024.0 * 1024.0;
// Closer together the hardware gives no metrics.
constexpr Duration kShortestInterval = std::chrono::milliseconds{100};

struct Activity {
  unsigned id;
  Metric metric;
};

constexpr Activity kActivities[] = {
    {abi::gpm::kGraphicsUtil, Metric::gpu_gr_engine_active},
    {abi::gpm::kSmUtil, Metric::gpu_sm_active},
    {abi::gpm::kSmOccupancy, Metric::gpu_sm_occupancy},
    {abi::gpm::kDramBandwidthUtil, Metric::gpu_dram_active},
    {abi::gpm::kAnyTensorUtil, Metric::gpu_pipe_tensor_active},
    {abi::gpm::kFp64Util, Metric::gpu_pipe_fp64_active},
    {abi::gpm::kFp32Util, Metric::gpu_pipe_fp32_active},
    {abi::gpm::kFp16Util, Metric::gpu_pipe_fp16_active},
    {abi::gpm::kIntegerUtil, Metric::gpu_pipe_int_active},
};

EntityId pcie(EntityTable& entities, EntityId gpu, std::string_view direction) {
  return facet(entities, gpu, {{"gpu.interconnect.direction", direction}});
}

EntityId nvlink(EntityTable& entities, EntityId gpu, std::string_view direction) {
  return facet(entities, gpu,
               {{"gpu.interconnect.type", "nvlink"}, {"gpu.interconnect.direction", direction}});
}

}  // namespace

Gpm::Gpm(const Library& library, EntityTable& entities, EntityId owner,
         std::optional<unsigned> gpu_instance)
    : library_(&library), gpu_instance_(gpu_instance) {
  for (const Activity& activity : kActivities) {
    items_.push_back({activity.id, kPercent, false, {{activity.metric, owner}}});
  }
  if (gpu_instance_) return;
  const auto rate = [&](unsigned id, Metric metric, EntityId entity) {
    items_.push_back(
        {id, kMebi, metric == Metric::gpu_interconnect_throughput, {{metric, entity}}});
  };
  rate(abi::gpm::kPcieTx, Metric::gpu_pcie_throughput, pcie(entities, owner, "transmit"));
  rate(abi::gpm::kPcieRx, Metric::gpu_pcie_throughput, pcie(entities, owner, "receive"));
  rate(abi::gpm::kNvLinkTotalTx, Metric::gpu_interconnect_throughput,
       nvlink(entities, owner, "transmit"));
  rate(abi::gpm::kNvLinkTotalRx, Metric::gpu_interconnect_throughput,
       nvlink(entities, owner, "receive"));
}

Gpm::~Gpm() {
  for (abi::GpmSample sample : samples_) {
    if (sample != nullptr) library_->nvmlGpmSampleFree(sample);
  }
}

bool Gpm::supported(Pass& pass) {
  if (checked_) return sampling_.wanted();
  abi::GpmSupport support{};
  support.version = abi::kGpmSupportVersion;
  const bool answered =
      pass.get(sampling_, pass.lib.nvmlGpmQueryDeviceSupport, pass.handle, &support);
  if (!answered && sampling_.wanted()) return false;
  checked_ = true;
  if (answered && support.supported != 0) return true;
  pass.unsupported(sampling_, {});
  for (Item& item : items_) pass.unsupported(item.reading, "GPM needs Hopper or later");
  return false;
}

bool Gpm::take_sample(Pass& pass) {
  for (abi::GpmSample& sample : samples_) {
    if (sample == nullptr && !pass.get(sampling_, pass.lib.nvmlGpmSampleAlloc, &sample))
      return false;
  }
  abi::GpmSample sample = samples_[current_];
  const abi::Return result = gpu_instance_
                                 ? pass.lib.nvmlGpmMigSampleGet(pass.handle, *gpu_instance_, sample)
                                 : pass.lib.nvmlGpmSampleGet(pass.handle, sample);
  if (pass.settle(sampling_, result)) return true;
  last_.reset();
  for (Item& item : items_) pass.settle(item.reading, result);
  return false;
}

void Gpm::read(Pass& pass, bool has_links) {
  pcie_rates_.reset();
  if (pass.halted() || !supported(pass)) return;
  const SteadyTime now = pass.context.clock.steady();
  if (last_ && now - *last_ < kShortestInterval) return;
  if (!take_sample(pass)) return;
  if (last_) compare(pass, has_links);
  last_ = now;
  current_ = 1 - current_;
}

void Gpm::compare(Pass& pass, bool has_links) {
  abi::GpmMetricsGet& request = pass.workspace.gpm;
  request.version = abi::kGpmMetricsGetVersion;
  request.first = samples_[1 - current_];
  request.second = samples_[current_];
  request.count = 0;
  for (const Item& item : items_) {
    if (!item.reading.wanted() || (item.of_links && !has_links)) continue;
    request.metrics[request.count] = {};
    request.metrics[request.count++].id = item.id;
  }
  if (request.count == 0) return;
  const abi::Return all = pass.lib.nvmlGpmMetricsGet(&request);
  size_t answer = 0;
  std::optional<double> transmit;
  std::optional<double> receive;
  for (Item& item : items_) {
    if (!item.reading.wanted() || (item.of_links && !has_links)) continue;
    const abi::GpmMetric& metric = request.metrics[answer++];
    const abi::Return result = all == abi::Return::success ? metric.result : all;
    if (!pass.settle(item.reading, result) || !std::isfinite(metric.value)) continue;
    const double value = item.scale * metric.value;
    pass.add(item.reading[0], value);
    if (item.id == abi::gpm::kPcieTx) transmit = value;
    if (item.id == abi::gpm::kPcieRx) receive = value;
  }
  if (transmit && receive) pcie_rates_ = LinkRates{*transmit, *receive};
}

}  // namespace warpsight::nvml
