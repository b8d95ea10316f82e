// Field values. Each has a result of its own; the driver leaves what it does not answer as it was.
#include <cmath>
#include <optional>

#include "simulate/nvml/api.h"
#include "simulate/nvml/readout.h"

namespace warpsight::nvml::abi {
namespace {

constexpr double kKiB = 1024;
constexpr double kNs = 1e9;

Return put_u64(FieldValue& field, double value) {
  field.value_type = ValueType::uint64;
  field.value.uint64 = simulate::to_u64(value);
  return Return::success;
}

Return put_u64(FieldValue& field, std::uint64_t value) {
  field.value_type = ValueType::uint64;
  field.value.uint64 = value;
  return Return::success;
}

Return put_u32(FieldValue& field, double value) {
  field.value_type = ValueType::uint32;
  field.value.uint64 = 0;
  field.value.uint32 = simulate::to_u32(value);
  return Return::success;
}

Return put_i32(FieldValue& field, int value) {
  field.value_type = ValueType::int32;
  field.value.uint64 = 0;
  field.value.int32 = value;
  return Return::success;
}

Return held(const Call& call, FieldValue& field, Reading reading) {
  return put_u64(field, call.gpu->held_time(reading, call.t) * kNs);
}

// Bytes of one link or of all; every link carries the same.
std::optional<double> link_bytes(const Call& call, const FieldValue& field, Reading rate) {
  const unsigned links = call.spec().nvlinks;
  const double all = call.gpu->accumulated(rate, call.t);
  if (field.scope_id == field::kAllLinks) return all;
  if (field.scope_id >= links) return std::nullopt;
  return all / links;
}

// Fields 32..59 and 96..119 name a link themselves.
std::optional<Return> numbered_link_error(const Call& call, FieldValue& field) {
  using field::NvLinkErrorField;
  constexpr NvLinkErrorCounter kCounters[] = {
      NvLinkErrorCounter::dl_crc_flit, NvLinkErrorCounter::dl_crc_data,
      NvLinkErrorCounter::dl_replay, NvLinkErrorCounter::dl_recovery};
  for (unsigned kind = 0; kind < 4; ++kind) {
    const bool total = field.field_id == field::kNvLinkCrcFlitTotal + 7 * kind;
    for (unsigned link = 0; link < 12; ++link) {
      const bool hit =
          field.field_id == field::nvlink_error(static_cast<NvLinkErrorField>(kind), link);
      if (!hit && !total) continue;
      if (!simulate::has_classic_links(call)) return Return::not_supported;
      const unsigned at = total ? call.spec().nvlink_error_link : link;
      return at < call.spec().nvlinks
                 ? put_u64(field, simulate::link_errors(call, kCounters[kind], at))
                 : Return::not_supported;
    }
  }
  return std::nullopt;
}

Return classic_link_field(const Call& call, FieldValue& field) {
  if (!simulate::has_classic_links(call)) return Return::not_supported;
  const auto count = [&](NvLinkErrorCounter kind) {
    return simulate::link_errors(call, kind, field.scope_id);
  };
  switch (field.field_id) {
    case field::kNvLinkErrorReplay: return put_u64(field, count(NvLinkErrorCounter::dl_replay));
    case field::kNvLinkErrorRecovery: return put_u64(field, count(NvLinkErrorCounter::dl_recovery));
    default: return put_u64(field, count(NvLinkErrorCounter::dl_crc_flit));
  }
}

// Fields whose scope is a link.
Return link_field(const Call& call, FieldValue& field) {
  const GpuSpec& spec = call.spec();
  if (spec.nvlinks == 0) return Return::not_supported;
  const unsigned id = field.field_id;
  if (id >= field::kNvLinkDataTx && id <= field::kNvLinkRawRx) {
    const bool receives = id == field::kNvLinkDataRx || id == field::kNvLinkRawRx;
    const auto bytes = link_bytes(call, field, receives ? Reading::nvlink_rx : Reading::nvlink_tx);
    if (!bytes) return Return::invalid_argument;
    // Raw counts carry the protocol's overhead, too.
    return put_u64(field, std::floor(*bytes * (id >= field::kNvLinkRawTx ? 1.06 : 1) / kKiB));
  }
  if (field.scope_id >= spec.nvlinks) return Return::invalid_argument;
  switch (id) {
    case field::kNvLinkErrorReplay:
    case field::kNvLinkErrorRecovery:
    case field::kNvLinkErrorCrc: return classic_link_field(call, field);
    case field::kNvLinkSpeed: return put_u32(field, spec.nvlink_link_rate / 1e6);
    case field::kNvLinkState:
      return put_u32(field, field.scope_id < simulate::links_up(call) ? 1 : 0);
    case field::kNvLinkVersion: return put_u32(field, spec.nvlink_version);
    case field::kNvLinkPowerState: return put_u32(field, 0);
    case field::kNvLinkRemoteId: return put_u32(field, field.scope_id);
    default: break;
  }
  if (simulate::has_classic_links(call)) return Return::not_supported;
  switch (id) {
    case field::kNvLink5TxBytes:
      return put_u64(field, link_bytes(call, field, Reading::nvlink_tx).value_or(0));
    case field::kNvLink5RxBytes:
      return put_u64(field, link_bytes(call, field, Reading::nvlink_rx).value_or(0));
    case field::kNvLink5RecoverySucceeded:
    case field::kNvLink5RecoveryEvents:
      return put_u64(field,
                     simulate::link_errors(call, NvLinkErrorCounter::dl_recovery, field.scope_id));
    default: return put_u64(field, std::uint64_t{0});
  }
}

Return power_field(const Call& call, FieldValue& field) {
  const GpuSpec& spec = call.spec();
  if (field.scope_id == field::kPowerScopeMemory && field.field_id == field::kPowerAverage) {
    if (!spec.memory_power) return Return::not_supported;
    return put_u32(field, call.gpu->mean(Reading::memory_power, call.t - 1, call.t) * 1000);
  }
  if (field.scope_id != field::kPowerScopeGpu) return Return::not_supported;
  switch (field.field_id) {
    case field::kPowerAverage:
      return spec.power_averaged ? put_u32(field, simulate::average_milliwatts(call))
                                 : Return::not_supported;
    case field::kPowerInstant: return put_u32(field, simulate::instant_milliwatts(call));
    case field::kPowerMinLimit: return put_u32(field, spec.power_min_limit * 1000);
    case field::kPowerMaxLimit:
    case field::kPowerDefaultLimit: return put_u32(field, spec.power_limit * 1000);
    default: return put_u32(field, call.value(Reading::power_limit) * 1000);
  }
}

Return margin_field(const Call& call, FieldValue& field) {
  const GpuSpec& spec = call.spec();
  if (spec.limits == simulate::TemperatureLimits::absolute) return Return::not_supported;
  switch (field.field_id) {
    case field::kShutdownMargin: return put_i32(field, spec.limit_operating - spec.limit_shutdown);
    case field::kSlowdownMargin: return put_i32(field, spec.limit_operating - spec.limit_slowdown);
    default: return put_i32(field, 0);
  }
}

// The driver's own counters are 32 bits wide and wrap.
Return pcie_bytes(const Call& call, FieldValue& field, Reading rate) {
  if (!call.spec().pcie_counters) return Return::not_supported;
  return put_u32(field, std::fmod(std::floor(call.gpu->accumulated(rate, call.t)), 0x1p32));
}

Return remap_field(const Call& call, FieldValue& field, Reading reading) {
  return call.spec().row_remap ? put_u64(field, call.value(reading)) : Return::not_supported;
}

Return retired_field(const Call& call, FieldValue& field, Reading reading) {
  return call.spec().retired_pages ? put_u64(field, call.value(reading)) : Return::not_supported;
}

Return ecc_field(const Call& call, FieldValue& field, bool uncorrected, bool aggregate) {
  if (!call.spec().ecc) return Return::not_supported;
  return put_u64(field, simulate::ecc_total(call, uncorrected, aggregate));
}

Return energy_field(const Call& call, FieldValue& field) {
  if (!call.spec().energy || field.scope_id != 0) return Return::not_supported;
  return put_u64(field, call.gpu->energy(call.t) * 1000);
}

Return device_field(const Call& call, FieldValue& field) {
  const GpuSpec& spec = call.spec();
  const unsigned id = field.field_id;
  switch (id) {
    case field::kEccCurrent:
    case field::kEccPending: return put_u64(field, std::uint64_t{spec.ecc ? 1U : 0U});
    case field::kEccCorrectedVolatile: return ecc_field(call, field, false, false);
    case field::kEccUncorrectedVolatile: return ecc_field(call, field, true, false);
    case field::kEccCorrectedAggregate: return ecc_field(call, field, false, true);
    case field::kEccUncorrectedAggregate: return ecc_field(call, field, true, true);
    case field::kResetlessMigSupported:
    case field::kMigQueryCapable: return put_u32(field, spec.mig_capable ? 1 : 0);
    case field::kRetiredSbe: return retired_field(call, field, Reading::retired_pages_single_bit);
    case field::kRetiredDbe: return retired_field(call, field, Reading::retired_pages_double_bit);
    case field::kRetiredPending:
    case field::kRetiredPendingSbe:
    case field::kRetiredPendingDbe:
      return retired_field(call, field, Reading::retired_pages_pending);
    case field::kPerfPolicyPower: return held(call, field, Reading::throttle_sw_power_cap);
    case field::kPerfPolicyThermal: return held(call, field, Reading::violation_thermal);
    case field::kPerfPolicySyncBoost: return held(call, field, Reading::throttle_sync_boost);
    case field::kPerfPolicyBoardLimit: return held(call, field, Reading::violation_board_limit);
    case field::kPerfPolicyLowUtilization:
      return held(call, field, Reading::violation_low_utilization);
    case field::kPerfPolicyReliability: return held(call, field, Reading::violation_reliability);
    case field::kPerfPolicyAppClocks: return held(call, field, Reading::violation_app_clocks);
    case field::kPerfPolicyBaseClocks: return held(call, field, Reading::violation_base_clocks);
    case field::kClocksEventSwThermal: return held(call, field, Reading::throttle_sw_thermal);
    case field::kClocksEventHwThermal: return held(call, field, Reading::throttle_hw_thermal);
    case field::kClocksEventHwPowerBrake:
      return held(call, field, Reading::throttle_hw_power_brake);
    case field::kMemoryTemperature:
      return spec.memory_temperature ? put_u32(field, call.value(Reading::memory_temperature))
                                     : Return::not_supported;
    case field::kTotalEnergy:
    case field::kEnergy: return energy_field(call, field);
    case field::kNvLinkSpeedCommon:
      return spec.nvlinks > 0 ? put_u32(field, spec.nvlink_link_rate / 1e6) : Return::not_supported;
    case field::kNvLinkCount:
      return spec.nvlinks > 0 ? put_u32(field, spec.nvlinks) : Return::not_supported;
    case field::kNvSwitchConnectedLinks: return put_u32(field, spec.nvlinks);
    case field::kPcieReplay:
      return put_u32(field, static_cast<double>(call.gpu->count(Reading::pcie_replays, call.t)));
    case field::kPcieReplayRollover: return put_u32(field, 0);
    case field::kRemappedCorrected:
      return remap_field(call, field, Reading::rows_remapped_corrected);
    case field::kRemappedUncorrected:
      return remap_field(call, field, Reading::rows_remapped_uncorrected);
    case field::kRemappedPending: return remap_field(call, field, Reading::row_remap_pending);
    case field::kRemappedFailure: return remap_field(call, field, Reading::row_remap_failure);
    case field::kRemappedCorrectedInactive:
      return remap_field(call, field, Reading::rows_remapped_corrected_inactive);
    case field::kRemappedUncorrectedInactive:
      return remap_field(call, field, Reading::rows_remapped_uncorrected_inactive);
    case field::kPcieTxBytes: return pcie_bytes(call, field, Reading::pcie_tx);
    case field::kPcieRxBytes: return pcie_bytes(call, field, Reading::pcie_rx);
    case field::kGpuRecoveryAction: return put_u32(field, call.value(Reading::recovery_action));
    default: break;
  }
  if (id >= field::kPowerAverage && id <= field::kPowerRequestedLimit) {
    return power_field(call, field);
  }
  if (id >= field::kShutdownMargin && id <= field::kGpuMaxMargin) return margin_field(call, field);
  if (id == field::kPcieL0ToRecovery ||
      (id >= field::kPcieCorrectableErrors && id <= field::kPcieLaneErrors)) {
    return put_u32(field, 0);
  }
  return Return::not_supported;
}

bool names_a_link(unsigned id) {
  return (id >= field::kNvLinkDataTx && id <= field::kNvLinkRawRx) ||
         id == field::kNvLinkRemoteId ||
         (id >= field::kNvLinkErrorReplay && id <= field::kNvLinkPowerState) ||
         (id >= field::kNvLink5TxPackets && id <= field::kNvLink5SymbolErrors);
}

void read_field(const Call& call, FieldValue& field) {
  if (field.field_id == 0 || field.field_id >= field::kMax) {
    field.result = Return::invalid_argument;
    return;
  }
  if (call.gpu->field_unsupported(field.field_id)) {
    field.result = Return::not_supported;
    return;
  }
  // Without a switch a real driver writes nothing at all for this one, not even a result.
  if (field.field_id == field::kNvSwitchConnectedLinks && !call.spec().fabric) return;
  if (const auto result = numbered_link_error(call, field)) {
    field.result = *result;
  } else {
    field.result =
        names_a_link(field.field_id) ? link_field(call, field) : device_field(call, field);
  }
  field.time_us = static_cast<long long>(call.world->clock().stamp(call.t));
  field.latency_us = 0;
  if (call.garbage) field.value.uint64 = 0xdeadbeefdeadbeef;
}

}  // namespace

Return nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  const bool good = count > 0 && values != nullptr;
  const Call call = enter(Function::nvmlDeviceGetFieldValues, device, good);
  if (!call) return call.result;
  for (int i = 0; i < count; ++i) read_field(call, values[i]);
  return Return::success;
}

}  // namespace warpsight::nvml::abi
