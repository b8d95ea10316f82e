#include "sources/nvml/nvlink.h"

#include <algorithm>
#include <string>

namespace warpsight::nvml {
namespace {

constexpr double kKibi = 1024;  // the byte counters are in KiB

struct ErrorKind {
  abi::NvLinkErrorCounter counter;
  std::string_view name;
};

constexpr std::array<ErrorKind, 4> kErrors{{
    {abi::NvLinkErrorCounter::dl_crc_flit, "crc_flit"},
    {abi::NvLinkErrorCounter::dl_crc_data, "crc_data"},
    {abi::NvLinkErrorCounter::dl_replay, "replay"},
    {abi::NvLinkErrorCounter::dl_recovery, "recovery"},
}};

EntityId io_facet(EntityTable& entities, EntityId gpu, std::string_view direction,
                  std::string_view link) {
  const AttributeView attributes[] = {{"gpu.interconnect.type", "nvlink"},
                                      {"gpu.interconnect.direction", direction},
                                      {"gpu.interconnect.link_index", link}};
  return entities.intern(EntityKind::facet, gpu, std::span(attributes, link.empty() ? 2 : 3));
}

}  // namespace

NvLink::NvLink(EntityTable& entities, EntityId gpu)
    : gpu_(gpu),
      active_{{Metric::gpu_interconnect_links_active,
               facet(entities, gpu, {{"gpu.interconnect.type", "nvlink"}})}},
      io_{{Metric::gpu_interconnect_io, gpu}} {}

void NvLink::read(Pass& pass) {
  if (pass.halted() || !active_.wanted()) return;
  if (!searched_) find_links(pass);
  if (links_.empty()) return;
  read_state(pass);
  if (bytes_.size() == 0) choose_byte_fields(pass);
  bytes_.read_and_add(pass);
  for (Link& link : links_) read_errors(pass, link);
}

// The links there are answer with a state; past the last the driver refuses the number.
void NvLink::find_links(Pass& pass) {
  for (unsigned number = 0; number < abi::kMaxNvLinks && !pass.halted(); ++number) {
    auto state = abi::EnableState::disabled;
    const abi::Return result = pass.lib.nvmlDeviceGetNvLinkState(pass.handle, number, &state);
    if (result == abi::Return::success) {
      links_.push_back({number, state == abi::EnableState::enabled, {}, {}});
    } else if (classify(result) == Outcome::device_lost ||
               classify(result) == Outcome::driver_gone) {
      pass.settle(active_, result);
      links_.clear();
      return;
    }
  }
  searched_ = true;
  if (links_.empty()) pass.unsupported(active_, "no NVLink");
}

void NvLink::read_state(Pass& pass) {
  unsigned up = 0;
  for (Link& link : links_) {
    auto state = abi::EnableState::disabled;
    if (!pass.get(active_, pass.lib.nvmlDeviceGetNvLinkState, pass.handle, link.number, &state)) {
      return;
    }
    link.active = state == abi::EnableState::enabled;
    up += link.active ? 1 : 0;
  }
  pass.add(active_[0], up);
}

// Payload bytes per link, in the counters of the link's generation, else their sum.
void NvLink::choose_byte_fields(Pass& pass) {
  const auto link = std::ranges::find_if(links_, [](const Link& l) { return l.active; });
  if (link == links_.end() || !io_.wanted()) return;
  namespace field = abi::field;
  FieldGroup trial;
  trial.add(field::kNvLinkDataTx, link->number, 1, {});
  trial.add(field::kNvLink5TxBytes, link->number, 1, {});
  trial.add(field::kNvLinkDataTx, field::kAllLinks, 1, {});
  trial.read(pass);
  EntityTable& entities = pass.context.entities;
  if (trial[0].fresh) {
    add_byte_fields(entities, field::kNvLinkDataTx, field::kNvLinkDataRx, kKibi, true);
  } else if (trial[1].fresh) {
    add_byte_fields(entities, field::kNvLink5TxBytes, field::kNvLink5RxBytes, 1, true);
  } else if (trial[2].fresh) {
    add_byte_fields(entities, field::kNvLinkDataTx, field::kNvLinkDataRx, kKibi, false);
  } else if (!trial[0].reading.wanted() && !trial[1].reading.wanted() &&
             !trial[2].reading.wanted()) {
    pass.unsupported(io_, "no NVLink byte counters");
  }
}

void NvLink::add_byte_fields(EntityTable& entities, unsigned transmit, unsigned receive,
                             double scale, bool per_link) {
  const auto add_pair = [&](unsigned scope, std::string_view link) {
    bytes_.add(transmit, scope, scale,
               {{Metric::gpu_interconnect_io, io_facet(entities, gpu_, "transmit", link)}});
    bytes_.add(receive, scope, scale,
               {{Metric::gpu_interconnect_io, io_facet(entities, gpu_, "receive", link)}});
  };
  if (!per_link) {
    add_pair(abi::field::kAllLinks, {});
    return;
  }
  for (const Link& link : links_) add_pair(link.number, std::to_string(link.number));
}

void NvLink::read_errors(Pass& pass, Link& link) {
  if (!link.active) return;
  for (size_t kind = 0; kind < kErrorKinds; ++kind) {
    unsigned long long count = 0;
    if (!pass.get(link.errors[kind], pass.lib.nvmlDeviceGetNvLinkErrorCounter, pass.handle,
                  link.number, kErrors[kind].counter, &count)) {
      continue;
    }
    if (!link.entities[kind]) {
      link.entities[kind] = facet(pass.context.entities, gpu_,
                                  {{"gpu.interconnect.type", "nvlink"},
                                   {"gpu.interconnect.error", kErrors[kind].name},
                                   {"gpu.interconnect.link_index", std::to_string(link.number)}});
    }
    pass.add({Metric::gpu_interconnect_errors, link.entities[kind]}, static_cast<double>(count));
  }
}

bool fabric_is_healthy(const abi::FabricInfoV3& info) {
  namespace fabric = abi::fabric;
  if (info.state != fabric::kCompleted || info.status != abi::Return::success) return false;
  if (info.version == abi::kFabricInfoV3 && info.health_summary != 0) {
    return info.health_summary == fabric::kSummaryHealthy;
  }
  const auto is_set = [&](unsigned shift) {
    return ((info.health_mask >> shift) & fabric::kTwoBits) == fabric::kHealthTrue;
  };
  const unsigned configuration = (info.health_mask >> fabric::kIncorrectConfigurationShift) &
                                 fabric::kIncorrectConfigurationMask;
  return !is_set(fabric::kDegradedBwShift) && !is_set(fabric::kRouteUnhealthyShift) &&
         !is_set(fabric::kRouteRecoveryShift) && !is_set(fabric::kAccessTimeoutRecoveryShift) &&
         (configuration == 0 || configuration == fabric::kIncorrectConfigurationNone);
}

void Fabric::read(Pass& pass) {
  if (pass.halted() || !healthy_.wanted()) return;
  abi::FabricInfoV3 info{};
  abi::Return result = abi::Return::function_not_found;
  // Version 2 is a prefix of version 3.
  for (const unsigned version : {abi::kFabricInfoV3, abi::kFabricInfoV2}) {
    if (version > version_) continue;
    info.version = version_ = version;
    result = pass.lib.nvmlDeviceGetGpuFabricInfoV(pass.handle, &info);
    if (result != abi::Return::argument_version_mismatch) break;
  }
  if (result == abi::Return::function_not_found ||
      result == abi::Return::argument_version_mismatch) {
    abi::FabricInfo old{};
    result = pass.lib.nvmlDeviceGetGpuFabricInfo(pass.handle, &old);
    info = {};
    info.status = old.status;
    info.state = old.state;
  }
  if (!pass.settle(healthy_, result)) return;
  if (info.state == abi::fabric::kNotSupported) {
    pass.unsupported(healthy_, "not on an NVSwitch fabric");
  } else {
    pass.add(healthy_[0], fabric_is_healthy(info) ? 1 : 0);
  }
}

}  // namespace warpsight::nvml
