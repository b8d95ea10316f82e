#include "sources/nvml/record_readings.h"

#include "sources/nvml/fields.h"

namespace warpsight::nvml {
namespace {

using abi::Device;
using abi::Return;
namespace field = abi::field;

using Getter = Function<Return(Device, unsigned*)> abi::Functions::*;

template <Getter kGetter>
Return read_unsigned(const Library& lib, Device device, double& value) {
  unsigned number = 0;
  const Return result = (lib.*kGetter)(device, &number);
  value = number;
  return result;
}

template <unsigned kId, unsigned kScope = 0>
Return read_one_field(const Library& lib, Device device, double& value) {
  return read_field(lib, device, kId, kScope, value);
}

template <unsigned abi::Utilization::* kPart>
Return read_utilization(const Library& lib, Device device, double& value) {
  abi::Utilization rates{};
  const Return result = lib.nvmlDeviceGetUtilizationRates(device, &rates);
  value = rates.*kPart;
  return result;
}

template <auto kGetter>
Return read_video(const Library& lib, Device device, double& value) {
  unsigned percent = 0;
  unsigned window_us = 0;
  const Return result = (lib.*kGetter)(device, &percent, &window_us);
  value = percent;
  return result;
}

Return read_memory_used(const Library& lib, Device device, double& value) {
  abi::MemoryV2 memory{};
  memory.version = abi::kMemoryV2;
  const Return result = lib.nvmlDeviceGetMemoryInfo_v2(device, &memory);
  value = static_cast<double>(memory.used);
  return result;
}

Return read_bar1_used(const Library& lib, Device device, double& value) {
  abi::Bar1Memory memory{};
  const Return result = lib.nvmlDeviceGetBAR1MemoryInfo(device, &memory);
  value = static_cast<double>(memory.used);
  return result;
}

Return read_temperature(const Library& lib, Device device, double& value) {
  unsigned celsius = 0;
  const Return result = lib.nvmlDeviceGetTemperature(device, abi::TemperatureSensor::gpu, &celsius);
  value = celsius;
  return result;
}

Return read_margin(const Library& lib, Device device, double& value) {
  abi::MarginTemperature margin{};
  margin.version = abi::kMarginTemperatureV1;
  const Return result = lib.nvmlDeviceGetMarginTemperature(device, &margin);
  value = margin.celsius;
  return result;
}

template <abi::ClockType kType>
Return read_clock(const Library& lib, Device device, double& value) {
  unsigned megahertz = 0;
  const Return result = lib.nvmlDeviceGetClockInfo(device, kType, &megahertz);
  value = megahertz;
  return result;
}

Return read_reasons(const Library& lib, Device device, double& value) {
  unsigned long long mask = 0;
  const Return result = lib.nvmlDeviceGetCurrentClocksEventReasons(device, &mask);
  value = static_cast<double>(mask);
  return result;
}

template <abi::PerfPolicy kPolicy>
Return read_violation(const Library& lib, Device device, double& value) {
  abi::ViolationTime time{};
  const Return result = lib.nvmlDeviceGetViolationStatus(device, kPolicy, &time);
  value = static_cast<double>(time.violation_time_ns);
  return result;
}

Return read_fan(const Library& lib, Device device, double& value) {
  unsigned percent = 0;
  const Return result = lib.nvmlDeviceGetFanSpeed_v2(device, 0, &percent);
  value = percent;
  return result;
}

Return read_links_up(const Library& lib, Device device, double& value) {
  value = 0;
  Return best = Return::not_supported;
  for (unsigned link = 0; link < abi::kMaxNvLinks; ++link) {
    auto state = abi::EnableState::disabled;
    if (lib.nvmlDeviceGetNvLinkState(device, link, &state) != Return::success) continue;
    best = Return::success;
    value += state == abi::EnableState::enabled ? 1 : 0;
  }
  return best;
}

template <abi::NvLinkErrorCounter kCounter>
Return read_link_errors(const Library& lib, Device device, double& value) {
  value = 0;
  Return best = Return::not_supported;
  for (unsigned link = 0; link < abi::kMaxNvLinks; ++link) {
    unsigned long long count = 0;
    if (lib.nvmlDeviceGetNvLinkErrorCounter(device, link, kCounter, &count) != Return::success) {
      continue;
    }
    best = Return::success;
    value += static_cast<double>(count);
  }
  return best;
}

template <unsigned long long abi::SramEccStatus::* kCount>
Return read_sram(const Library& lib, Device device, double& value) {
  abi::SramEccStatus status{};
  status.version = abi::kSramEccStatusV1;
  const Return result = lib.nvmlDeviceGetSramEccErrorStatus(device, &status);
  value = static_cast<double>(status.*kCount);
  return result;
}

Return read_sram_threshold(const Library& lib, Device device, double& value) {
  abi::SramEccStatus status{};
  status.version = abi::kSramEccStatusV1;
  const Return result = lib.nvmlDeviceGetSramEccErrorStatus(device, &status);
  value = status.threshold_exceeded;
  return result;
}

template <abi::MemoryErrorType kType, abi::EccCounterType kAge>
Return read_dram(const Library& lib, Device device, double& value) {
  unsigned long long count = 0;
  const Return result =
      lib.nvmlDeviceGetMemoryErrorCounter(device, kType, kAge, abi::MemoryLocation::dram, &count);
  value = static_cast<double>(count);
  return result;
}

template <int kWhich>
Return read_rows(const Library& lib, Device device, double& value) {
  unsigned rows[4] = {};
  const Return result =
      lib.nvmlDeviceGetRemappedRows(device, &rows[0], &rows[1], &rows[2], &rows[3]);
  value = rows[kWhich];
  return result;
}

template <unsigned abi::RowRemapperHistogram::* kBanks>
Return read_banks(const Library& lib, Device device, double& value) {
  abi::RowRemapperHistogram banks{};
  const Return result = lib.nvmlDeviceGetRowRemapperHistogram(device, &banks);
  value = banks.*kBanks;
  return result;
}

template <unsigned abi::RepairStatus::* kPending>
Return read_repair(const Library& lib, Device device, double& value) {
  abi::RepairStatus status{};
  status.version = abi::kRepairStatusV1;
  const Return result = lib.nvmlDeviceGetRepairStatus(device, &status);
  value = status.*kPending;
  return result;
}

template <abi::PageRetirementCause kCause>
Return read_retired(const Library& lib, Device device, double& value) {
  unsigned count = 0;
  const Return result = lib.nvmlDeviceGetRetiredPages(device, kCause, &count, nullptr);
  value = count;
  return result == Return::insufficient_size ? Return::success : result;
}

template <auto kPart>
Return read_fabric(const Library& lib, Device device, double& value) {
  abi::FabricInfoV3 info{};
  info.version = abi::kFabricInfoV3;
  const Return result = lib.nvmlDeviceGetGpuFabricInfoV(device, &info);
  value = info.*kPart;
  return result == Return::success && info.state == abi::fabric::kNotSupported
             ? Return::not_supported
             : result;
}

using F = abi::Functions;
using enum abi::MemoryErrorType;
using Sram = abi::SramEccStatus;
using Banks = abi::RowRemapperHistogram;
constexpr auto kVolatile = abi::EccCounterType::volatile_count;
constexpr auto kAggregate = abi::EccCounterType::aggregate;
constexpr double kNano = 1e-9;
constexpr double kMilli = 1e-3;
constexpr double kPercent = 0.01;
constexpr double kMebi = 1024.0 * 1024.0;

constexpr RecordedReading kReadings[] = {
    {"utilization", "nvmlDeviceGetUtilizationRates", false, kPercent,
     read_utilization<&abi::Utilization::gpu>},
    {"memory_utilization", "nvmlDeviceGetUtilizationRates", false, kPercent,
     read_utilization<&abi::Utilization::memory>},
    {"encoder_utilization", "nvmlDeviceGetEncoderUtilization", false, kPercent,
     read_video<&F::nvmlDeviceGetEncoderUtilization>},
    {"decoder_utilization", "nvmlDeviceGetDecoderUtilization", false, kPercent,
     read_video<&F::nvmlDeviceGetDecoderUtilization>},
    {"memory_used", "nvmlDeviceGetMemoryInfo_v2", false, 1, read_memory_used},
    {"bar1_used", "nvmlDeviceGetBAR1MemoryInfo", false, 1, read_bar1_used},
    {"power", "nvmlDeviceGetPowerUsage", false, kMilli, read_unsigned<&F::nvmlDeviceGetPowerUsage>},
    {"memory_power", "", false, kMilli,
     read_one_field<field::kPowerAverage, field::kPowerScopeMemory>},
    {"power_limit", "nvmlDeviceGetEnforcedPowerLimit", false, kMilli,
     read_unsigned<&F::nvmlDeviceGetEnforcedPowerLimit>},
    {"temperature", "nvmlDeviceGetTemperature", false, 1, read_temperature},
    {"memory_temperature", "field:82", false, 1, read_one_field<field::kMemoryTemperature>},
    {"temperature_margin", "nvmlDeviceGetMarginTemperature", false, 1, read_margin},
    {"clock_graphics", "nvmlDeviceGetClockInfo", false, 1, read_clock<abi::ClockType::graphics>},
    {"clock_sm", "nvmlDeviceGetClockInfo", false, 1, read_clock<abi::ClockType::sm>},
    {"clock_memory", "nvmlDeviceGetClockInfo", false, 1, read_clock<abi::ClockType::memory>},
    {"clock_video", "nvmlDeviceGetClockInfo", false, 1, read_clock<abi::ClockType::video>},
    {"performance_state", "nvmlDeviceGetPerformanceState", false, 1,
     read_unsigned<&F::nvmlDeviceGetPerformanceState>},
    {"clocks_event_reasons", "nvmlDeviceGetCurrentClocksEventReasons", false, 1, read_reasons},
    {"throttle_sw_power_cap", "field:74", true, kNano,
     read_one_field<field::kClocksEventSwPowerCap>},
    {"throttle_sync_boost", "field:76", true, kNano, read_one_field<field::kClocksEventSyncBoost>},
    {"throttle_sw_thermal", "field:269", true, kNano, read_one_field<field::kClocksEventSwThermal>},
    {"throttle_hw_thermal", "field:270", true, kNano, read_one_field<field::kClocksEventHwThermal>},
    {"throttle_hw_power_brake", "field:271", true, kNano,
     read_one_field<field::kClocksEventHwPowerBrake>},
    {"violation_thermal", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::thermal>},
    {"violation_board_limit", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::board_limit>},
    {"violation_low_utilization", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::low_utilization>},
    {"violation_reliability", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::reliability>},
    {"violation_app_clocks", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::total_app_clocks>},
    {"violation_base_clocks", "nvmlDeviceGetViolationStatus", true, kNano,
     read_violation<abi::PerfPolicy::total_base_clocks>},
    {"fan_speed", "nvmlDeviceGetFanSpeed_v2", false, kPercent, read_fan},
    {"pcie_replays", "nvmlDeviceGetPcieReplayCounter", true, 1,
     read_unsigned<&F::nvmlDeviceGetPcieReplayCounter>},
    {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", false, 1,
     read_unsigned<&F::nvmlDeviceGetCurrPcieLinkGeneration>},
    {"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", false, 1,
     read_unsigned<&F::nvmlDeviceGetCurrPcieLinkWidth>},
    {"nvlink_links_up", "nvmlDeviceGetNvLinkState", false, 1, read_links_up},
    {"nvlink_crc_flit_errors", "nvmlDeviceGetNvLinkErrorCounter", true, 1,
     read_link_errors<abi::NvLinkErrorCounter::dl_crc_flit>},
    {"nvlink_crc_data_errors", "nvmlDeviceGetNvLinkErrorCounter", true, 1,
     read_link_errors<abi::NvLinkErrorCounter::dl_crc_data>},
    {"nvlink_replay_errors", "nvmlDeviceGetNvLinkErrorCounter", true, 1,
     read_link_errors<abi::NvLinkErrorCounter::dl_replay>},
    {"nvlink_recovery_errors", "nvmlDeviceGetNvLinkErrorCounter", true, 1,
     read_link_errors<abi::NvLinkErrorCounter::dl_recovery>},
    {"fabric_state", "nvmlDeviceGetGpuFabricInfoV", false, 1,
     read_fabric<&abi::FabricInfoV3::state>},
    {"fabric_health", "nvmlDeviceGetGpuFabricInfoV", false, 1,
     read_fabric<&abi::FabricInfoV3::health_summary>},
    {"fabric_health_mask", "nvmlDeviceGetGpuFabricInfoV", false, 1,
     read_fabric<&abi::FabricInfoV3::health_mask>},
    {"ecc_volatile_sram_corrected", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::volatile_corrected>},
    {"ecc_volatile_sram_uncorrected_parity", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::volatile_uncorrected_parity>},
    {"ecc_volatile_sram_uncorrected_secded", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::volatile_uncorrected_secded>},
    {"ecc_aggregate_sram_corrected", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::aggregate_corrected>},
    {"ecc_aggregate_sram_uncorrected_parity", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::aggregate_uncorrected_parity>},
    {"ecc_aggregate_sram_uncorrected_secded", "nvmlDeviceGetSramEccErrorStatus", true, 1,
     read_sram<&Sram::aggregate_uncorrected_secded>},
    {"ecc_sram_threshold_exceeded", "nvmlDeviceGetSramEccErrorStatus", false, 1,
     read_sram_threshold},
    {"ecc_volatile_dram_corrected", "nvmlDeviceGetMemoryErrorCounter", true, 1,
     read_dram<corrected, kVolatile>},
    {"ecc_volatile_dram_uncorrected", "nvmlDeviceGetMemoryErrorCounter", true, 1,
     read_dram<uncorrected, kVolatile>},
    {"ecc_aggregate_dram_corrected", "nvmlDeviceGetMemoryErrorCounter", true, 1,
     read_dram<corrected, kAggregate>},
    {"ecc_aggregate_dram_uncorrected", "nvmlDeviceGetMemoryErrorCounter", true, 1,
     read_dram<uncorrected, kAggregate>},
    {"rows_remapped_corrected", "nvmlDeviceGetRemappedRows", true, 1, read_rows<0>},
    {"rows_remapped_uncorrected", "nvmlDeviceGetRemappedRows", true, 1, read_rows<1>},
    {"row_remap_pending", "nvmlDeviceGetRemappedRows", false, 1, read_rows<2>},
    {"row_remap_failure", "nvmlDeviceGetRemappedRows", false, 1, read_rows<3>},
    {"row_remap_banks_max", "nvmlDeviceGetRowRemapperHistogram", false, 1, read_banks<&Banks::max>},
    {"row_remap_banks_high", "nvmlDeviceGetRowRemapperHistogram", false, 1,
     read_banks<&Banks::high>},
    {"row_remap_banks_partial", "nvmlDeviceGetRowRemapperHistogram", false, 1,
     read_banks<&Banks::partial>},
    {"row_remap_banks_low", "nvmlDeviceGetRowRemapperHistogram", false, 1, read_banks<&Banks::low>},
    {"row_remap_banks_none", "nvmlDeviceGetRowRemapperHistogram", false, 1,
     read_banks<&Banks::none>},
    {"retired_pages_single_bit", "nvmlDeviceGetRetiredPages", true, 1,
     read_retired<abi::PageRetirementCause::multiple_single_bit>},
    {"retired_pages_double_bit", "nvmlDeviceGetRetiredPages", true, 1,
     read_retired<abi::PageRetirementCause::double_bit>},
    {"repair_channel_pending", "nvmlDeviceGetRepairStatus", false, 1,
     read_repair<&abi::RepairStatus::channel_repair_pending>},
    {"repair_tpc_pending", "nvmlDeviceGetRepairStatus", false, 1,
     read_repair<&abi::RepairStatus::tpc_repair_pending>},
    {"recovery_action", "field:230", false, 1, read_one_field<field::kGpuRecoveryAction>},
};

constexpr RecordedActivity kActivities[] = {
    {"graphics_active", abi::gpm::kGraphicsUtil, kPercent},
    {"sm_active", abi::gpm::kSmUtil, kPercent},
    {"sm_occupancy", abi::gpm::kSmOccupancy, kPercent},
    {"integer_active", abi::gpm::kIntegerUtil, kPercent},
    {"tensor_active", abi::gpm::kAnyTensorUtil, kPercent},
    {"tensor_dfma_active", abi::gpm::kDfmaTensorUtil, kPercent},
    {"tensor_hmma_active", abi::gpm::kHmmaTensorUtil, kPercent},
    {"tensor_dmma_active", abi::gpm::kDmmaTensorUtil, kPercent},
    {"tensor_imma_active", abi::gpm::kImmaTensorUtil, kPercent},
    {"dram_active", abi::gpm::kDramBandwidthUtil, kPercent},
    {"fp64_active", abi::gpm::kFp64Util, kPercent},
    {"fp32_active", abi::gpm::kFp32Util, kPercent},
    {"fp16_active", abi::gpm::kFp16Util, kPercent},
    {"pcie_tx", abi::gpm::kPcieTx, kMebi},
    {"pcie_rx", abi::gpm::kPcieRx, kMebi},
    {"nvlink_tx", abi::gpm::kNvLinkTotalTx, kMebi},
    {"nvlink_rx", abi::gpm::kNvLinkTotalRx, kMebi},
};

}  // namespace

std::span<const RecordedReading> recorded_readings() { return kReadings; }
std::span<const RecordedActivity> recorded_activities() { return kActivities; }

abi::Return read_field(const Library& lib, abi::Device device, unsigned id, unsigned scope,
                       double& value) {
  abi::FieldValue request{};
  request.field_id = id;
  request.scope_id = scope;
  const Return result = lib.nvmlDeviceGetFieldValues(device, 1, &request);
  if (result != Return::success) return result;
  value = to_double(request.value_type, request.value);
  return request.result;
}

}  // namespace warpsight::nvml
