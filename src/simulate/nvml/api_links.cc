// PCIe, NVLink and the fabric.
#include <cstdio>
#include <cstring>

#include "simulate/nvml/api.h"
#include "simulate/nvml/readout.h"

namespace warpsight::nvml::abi {
namespace {

// Whether this GPU has that link: none has any where there is no NVLink at all.
Return check_link(const Call& call, unsigned link) {
  if (call.spec().nvlinks == 0) return Return::not_supported;
  return link < call.spec().nvlinks ? Return::success : Return::invalid_argument;
}

template <typename Answer>
Return on_link(Function function, Device device, unsigned link, bool good, Answer answer) {
  const Call call = enter(function, device, good);
  if (!call) return call.result;
  const Return result = check_link(call, link);
  return result == Return::success ? answer(call) : result;
}

// The GPU at the other end where links go straight to GPUs: spread over the others in turn.
const GpuSpec& peer_of(const Call& call, unsigned link) {
  const auto& gpus = call.world->gpus();
  const std::size_t others = gpus.size() > 1 ? gpus.size() - 1 : 1;
  return gpus[(call.gpu->index() + 1 + link % others) % gpus.size()].spec();
}

Return read_fabric(const Call& call, unsigned char* uuid, Return* status, unsigned* clique,
                   unsigned char* state) {
  std::memset(uuid, call.spec().fabric ? 0x5a : 0, sizeof(FabricInfo::cluster_uuid));
  *status = Return::success;
  *clique = call.spec().fabric ? 1 : 0;
  *state = call.garbage
               ? 0xee
               : static_cast<unsigned char>(simulate::to_u32(call.value(Reading::fabric_state)));
  return Return::success;
}

}  // namespace

Return nvmlDeviceGetPcieReplayCounter(Device device, unsigned* count) {
  const Call call = enter(Function::nvmlDeviceGetPcieReplayCounter, device, count != nullptr);
  if (!call) return call.result;
  return call.put(count, static_cast<double>(call.gpu->count(Reading::pcie_replays, call.t)));
}

Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* generation) {
  const bool good = generation != nullptr;
  const Call call = enter(Function::nvmlDeviceGetCurrPcieLinkGeneration, device, good);
  return call ? call.put(generation, call.value(Reading::pcie_generation)) : call.result;
}

Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* generation) {
  const bool good = generation != nullptr;
  const Call call = enter(Function::nvmlDeviceGetMaxPcieLinkGeneration, device, good);
  return call ? call.put(generation, call.spec().pcie_generation) : call.result;
}

Return nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* lanes) {
  const Call call = enter(Function::nvmlDeviceGetCurrPcieLinkWidth, device, lanes != nullptr);
  return call ? call.put(lanes, call.value(Reading::pcie_width)) : call.result;
}

Return nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* lanes) {
  const Call call = enter(Function::nvmlDeviceGetMaxPcieLinkWidth, device, lanes != nullptr);
  return call ? call.put(lanes, call.spec().pcie_width) : call.result;
}

Return nvmlDeviceGetNvLinkState(Device device, unsigned link, EnableState* active) {
  return on_link(Function::nvmlDeviceGetNvLinkState, device, link, active != nullptr,
                 [&](const Call& call) {
                   const bool up = link < simulate::links_up(call);
                   return call.put_enum(active, static_cast<EnableState>(up ? 1 : 0));
                 });
}

Return nvmlDeviceGetNvLinkVersion(Device device, unsigned link, unsigned* version) {
  return on_link(Function::nvmlDeviceGetNvLinkVersion, device, link, version != nullptr,
                 [&](const Call& call) { return call.put(version, call.spec().nvlink_version); });
}

Return nvmlDeviceGetNvLinkCapability(Device device, unsigned link, NvLinkCapability capability,
                                     unsigned* has) {
  const bool good = has != nullptr && capability <= NvLinkCapability::valid;
  return on_link(Function::nvmlDeviceGetNvLinkCapability, device, link, good,
                 [&](const Call& call) {
                   const bool yes = capability == NvLinkCapability::p2p_supported ||
                                    capability == NvLinkCapability::p2p_atomics ||
                                    capability == NvLinkCapability::valid;
                   return call.put(has, yes ? 1 : 0);
                 });
}

Return nvmlDeviceGetNvLinkErrorCounter(Device device, unsigned link, NvLinkErrorCounter counter,
                                       unsigned long long* count) {
  const bool good = count != nullptr && counter <= NvLinkErrorCounter::dl_ecc_data;
  return on_link(Function::nvmlDeviceGetNvLinkErrorCounter, device, link, good,
                 [&](const Call& call) {
                   if (!simulate::has_classic_links(call)) return Return::not_supported;
                   return call.put(count, simulate::link_errors(call, counter, link));
                 });
}

Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* pci) {
  return on_link(Function::nvmlDeviceGetNvLinkRemotePciInfo_v2, device, link, pci != nullptr,
                 [&](const Call& call) {
                   constexpr unsigned kSwitchBus = 5;
                   constexpr unsigned kSwitches = 4;
                   const bool switched = call.spec().nvlink_switched;
                   const GpuSpec& peer = peer_of(call, link);
                   *pci = {};
                   pci->domain = switched ? 0 : peer.pci_domain;
                   pci->bus = switched ? kSwitchBus + link % kSwitches : peer.pci_bus;
                   pci->device = switched ? 0 : peer.pci_device;
                   std::snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0",  // NOLINT
                                 pci->domain, pci->bus, pci->device);
                   return Return::success;
                 });
}

Return nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned link, NvLinkDeviceType* type) {
  return on_link(Function::nvmlDeviceGetNvLinkRemoteDeviceType, device, link, type != nullptr,
                 [&](const Call& call) {
                   return call.put_enum(type, call.spec().nvlink_switched
                                                  ? NvLinkDeviceType::nvswitch
                                                  : NvLinkDeviceType::gpu);
                 });
}

Return nvmlDeviceGetGpuFabricInfo(Device device, FabricInfo* info) {
  const Call call = enter(Function::nvmlDeviceGetGpuFabricInfo, device, info != nullptr);
  if (!call) return call.result;
  if (call.spec().architecture < architecture::kHopper) return Return::not_supported;
  return read_fabric(call, info->cluster_uuid, &info->status, &info->clique_id, &info->state);
}

// Version 2 is the beginning of version 3.
Return nvmlDeviceGetGpuFabricInfoV(Device device, FabricInfoV3* info) {
  const Call call = enter(Function::nvmlDeviceGetGpuFabricInfoV, device, info != nullptr);
  if (!call) return call.result;
  if (info->version != kFabricInfoV2 && info->version != kFabricInfoV3) {
    return Return::argument_version_mismatch;
  }
  if (call.spec().architecture < architecture::kHopper) return Return::not_supported;
  call.put(&info->health_mask, call.value(Reading::fabric_health_mask));
  if (info->version == kFabricInfoV3) {
    info->health_summary =
        static_cast<unsigned char>(simulate::to_u32(call.value(Reading::fabric_health)));
  }
  return read_fabric(call, info->cluster_uuid, &info->status, &info->clique_id, &info->state);
}

}  // namespace warpsight::nvml::abi
