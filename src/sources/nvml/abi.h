// NVML's binary interface, as far as Warpsight uses it: handles, return codes, enumerations and
// structures with the driver's exact layout. Declared here so that neither the build nor a node
// needs NVIDIA's headers; tests/abi/nvml_abi_check.cc compares it with a real nvml.h.
//
// Enumerations have a fixed underlying type because a newer driver may return values that this
// file does not name. The functions themselves are listed in functions.def.
#pragma once

#include <cstddef>

#include "sources/nvml/field_ids.h"

namespace warpsight::nvml::abi {

using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;
using GpmSample = struct GpmSampleHandle*;

enum class Return : unsigned {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  already_initialized = 5,
  not_found = 6,
  insufficient_size = 7,
  insufficient_power = 8,
  driver_not_loaded = 9,
  timeout = 10,
  irq_issue = 11,
  library_not_found = 12,
  function_not_found = 13,
  corrupted_inforom = 14,
  gpu_is_lost = 15,
  reset_required = 16,
  operating_system = 17,
  lib_rm_version_mismatch = 18,
  in_use = 19,
  memory = 20,
  no_data = 21,
  vgpu_ecc_not_supported = 22,
  insufficient_resources = 23,
  freq_not_supported = 24,
  argument_version_mismatch = 25,
  deprecated = 26,
  not_ready = 27,
  gpu_not_found = 28,
  invalid_state = 29,
  reset_type_not_supported = 30,
  unknown = 999,
};

enum class EnableState : unsigned { disabled = 0, enabled = 1 };
enum class ClockType : unsigned { graphics = 0, sm = 1, memory = 2, video = 3 };
enum class TemperatureSensor : unsigned { gpu = 0 };
enum class TemperatureThreshold : unsigned { shutdown = 0, slowdown, mem_max, gpu_max };
enum class MemoryErrorType : unsigned { corrected = 0, uncorrected = 1 };
enum class EccCounterType : unsigned { volatile_count = 0, aggregate = 1 };
enum class MemoryLocation : unsigned {
  l1_cache = 0,
  l2_cache = 1,
  dram = 2,
  register_file = 3,
  texture_memory = 4,
  texture_shm = 5,
  cbu = 6,
  sram = 7,
};
enum class PageRetirementCause : unsigned { multiple_single_bit = 0, double_bit = 1 };
enum class NvLinkErrorCounter : unsigned {
  dl_replay = 0,
  dl_recovery = 1,
  dl_crc_flit = 2,
  dl_crc_data = 3,
  dl_ecc_data = 4,
};
enum class NvLinkCapability : unsigned {
  p2p_supported = 0,
  sysmem_access = 1,
  p2p_atomics = 2,
  sysmem_atomics = 3,
  sli_bridge = 4,
  valid = 5,
};
enum class NvLinkDeviceType : unsigned { gpu = 0, ibm_npu = 1, nvswitch = 2, unknown = 0xff };
enum class SamplingType : unsigned {
  total_power = 0,
  gpu_utilization = 1,
  memory_utilization = 2,
  encoder_utilization = 3,
  decoder_utilization = 4,
  processor_clock = 5,
  memory_clock = 6,
  module_power = 7,
  jpeg_utilization = 8,
  ofa_utilization = 9,
};
enum class ValueType : unsigned {
  float64 = 0,
  uint32 = 1,
  ulong = 2,
  uint64 = 3,
  int64 = 4,
  int32 = 5,
  uint16 = 6,
};
enum class PerfPolicy : unsigned {
  power = 0,
  thermal = 1,
  sync_boost = 2,
  board_limit = 3,
  low_utilization = 4,
  reliability = 5,
  total_app_clocks = 10,
  total_base_clocks = 11,
};
enum class VirtualizationMode : unsigned {
  none = 0,
  passthrough = 1,
  vgpu = 2,
  host_vgpu = 3,
  host_vsga = 4,
};
enum class HostVgpuMode : unsigned { non_sriov = 0, sriov = 1 };
// Performance states are P0..P15; 32 stands for "not known".
inline constexpr unsigned kPstateUnknown = 32;

// nvmlDeviceGetArchitecture.
namespace architecture {
inline constexpr unsigned kKepler = 2, kMaxwell = 3, kPascal = 4, kVolta = 5, kTuring = 6,
                          kAmpere = 7, kAda = 8, kHopper = 9, kBlackwell = 10, kRubin = 13,
                          kUnknown = 0xffffffff;
}  // namespace architecture

// nvmlDeviceGetBrand.
namespace brand {
inline constexpr unsigned kUnknown = 0, kQuadro = 1, kTesla = 2, kNvs = 3, kGrid = 4, kGeforce = 5,
                          kTitan = 6, kVapps = 7, kVpc = 8, kVcs = 9, kVws = 10, kCloudGaming = 11,
                          kQuadroRtx = 12, kNvidiaRtx = 13, kNvidia = 14, kGeforceRtx = 15,
                          kTitanRtx = 16;
}  // namespace brand

// Bits of nvmlDeviceGetCurrentClocksEventReasons (in older drivers: ...ThrottleReasons).
namespace clocks_event {
inline constexpr unsigned long long kGpuIdle = 0x001, kApplicationsClocks = 0x002,
                                    kSwPowerCap = 0x004, kHwSlowdown = 0x008, kSyncBoost = 0x010,
                                    kSwThermal = 0x020, kHwThermal = 0x040, kHwPowerBrake = 0x080,
                                    kDisplayClocks = 0x100;
}  // namespace clocks_event

// Bits of the event set.
namespace event {
inline constexpr unsigned long long kSingleBitEcc = 0x1, kDoubleBitEcc = 0x2, kPstate = 0x4,
                                    kXidCritical = 0x8, kClock = 0x10, kPowerSource = 0x80,
                                    kMigConfig = 0x100, kSingleBitEccStorm = 0x200,
                                    kDramRetirement = 0x400, kDramRetirementFailure = 0x800,
                                    kNonFatalPoison = 0x1000, kFatalPoison = 0x2000,
                                    kGpuUnavailable = 0x4000, kGpuRecoveryAction = 0x8000;
}  // namespace event

// nvmlInitWithFlags.
namespace init_flag {
inline constexpr unsigned kNoGpus = 1, kNoAttach = 2, kForceInit = 4;
}  // namespace init_flag

// Values of field kGpuRecoveryAction.
namespace recovery_action {
inline constexpr unsigned kNone = 0, kGpuReset = 1, kNodeReboot = 2, kDrainP2p = 3,
                          kDrainAndReset = 4, kRecoverImexDomain = 5;
}  // namespace recovery_action

// GpuFabricInfo*: states, health-mask fields (shift, width mask; 1 means true, 2 false for the
// two-bit ones, 0 not supported) and the summary of version 3.
namespace fabric {
inline constexpr unsigned char kNotSupported = 0, kNotStarted = 1, kInProgress = 2, kCompleted = 3;
inline constexpr unsigned kHealthTrue = 1, kHealthFalse = 2;
inline constexpr unsigned kDegradedBwShift = 0, kRouteRecoveryShift = 2, kRouteUnhealthyShift = 4,
                          kAccessTimeoutRecoveryShift = 6, kTwoBits = 0x3,
                          kIncorrectConfigurationShift = 8, kIncorrectConfigurationMask = 0xf,
                          kIncorrectConfigurationNone = 1, kPartitionAssignedShift = 12;
inline constexpr unsigned char kSummaryHealthy = 1, kSummaryUnhealthy = 2, kSummaryLimited = 3;
}  // namespace fabric

// Buffer sizes that hold the longest answer of the string getters.
inline constexpr unsigned kNameBuffer = 96, kUuidBuffer = 96, kSerialBuffer = 30, kVbiosBuffer = 32,
                          kInforomBuffer = 16, kVersionBuffer = 80, kGspFirmwareBuffer = 64,
                          kPartNumberBuffer = 80;
inline constexpr unsigned kMaxNvLinks = 36;
// A process's memory that the driver cannot tell.
inline constexpr unsigned long long kValueNotAvailable = ~0ULL;
// The instance ids of a process or event that belongs to no MIG instance.
inline constexpr unsigned kNoInstance = 0xffffffff;

// The version word that versioned structures carry in.
template <typename T>
constexpr unsigned version_word(unsigned version) {
  return static_cast<unsigned>(sizeof(T)) | (version << 24U);
}

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device;
  unsigned pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

struct Utilization {
  unsigned gpu, memory;
};

struct Memory {
  unsigned long long total, free, used;
};

struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
inline constexpr unsigned kMemoryV2 = version_word<MemoryV2>(2);

struct Bar1Memory {
  unsigned long long total, free, used;
};

struct ProcessInfoV1 {
  unsigned pid;
  unsigned long long used_gpu_memory;
};

// Both the _v2 and the _v3 process lists use this one.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_gpu_memory;
  unsigned gpu_instance_id, compute_instance_id;
};

struct DeviceAttributes {
  unsigned multiprocessor_count, shared_copy_engine_count, shared_decoder_count,
      shared_encoder_count, shared_jpeg_count, shared_ofa_count, gpu_instance_slice_count,
      compute_instance_slice_count;
  unsigned long long memory_size_mb;
};

struct RepairStatus {
  unsigned version;
  unsigned channel_repair_pending, tpc_repair_pending;
};
inline constexpr unsigned kRepairStatusV1 = version_word<RepairStatus>(1);

struct UnrepairableMemoryStatus {
  unsigned unrepairable_memory;
};

struct RowRemapperHistogram {
  unsigned max, high, partial, low, none;
};

struct RemappedRowsV2 {
  unsigned corrected_active, corrected_inactive, uncorrected_active, uncorrected_inactive;
  unsigned pending, failure_occurred;
};

union Value {
  double float64;
  int int32;
  unsigned uint32;
  unsigned long ulong;
  unsigned long long uint64;
  long long int64;
  unsigned short uint16;
};

struct Sample {
  unsigned long long time_us;
  Value value;
};

struct ViolationTime {
  unsigned long long reference_time_us, violation_time_ns;
};

struct FieldValue {
  unsigned field_id, scope_id;
  long long time_us, latency_us;
  ValueType value_type;
  Return result;
  Value value;
};

struct ProcessUtilizationSample {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

struct ProcessUtilizationInfo {
  unsigned long long time_us;
  unsigned pid, sm, memory, encoder, decoder, jpeg, ofa;
};

struct ProcessesUtilizationInfo {
  unsigned version;
  unsigned count;
  unsigned long long last_seen_us;
  ProcessUtilizationInfo* processes;
};
inline constexpr unsigned kProcessesUtilizationInfoV1 = version_word<ProcessesUtilizationInfo>(1);

struct SramEccStatus {
  unsigned version;
  unsigned long long aggregate_uncorrected_parity, aggregate_uncorrected_secded,
      aggregate_corrected, volatile_uncorrected_parity, volatile_uncorrected_secded,
      volatile_corrected, aggregate_l2, aggregate_sm, aggregate_pcie, aggregate_mcu,
      aggregate_other;
  unsigned threshold_exceeded;
};
inline constexpr unsigned kSramEccStatusV1 = version_word<SramEccStatus>(1);

struct TemperatureV1 {
  unsigned version;
  TemperatureSensor sensor;
  int celsius;
};
inline constexpr unsigned kTemperatureV1 = version_word<TemperatureV1>(1);

struct MarginTemperature {
  unsigned version;
  int celsius;
};
inline constexpr unsigned kMarginTemperatureV1 = version_word<MarginTemperature>(1);

struct FabricInfo {
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
};

struct FabricInfoV2 {
  unsigned version;
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
};
inline constexpr unsigned kFabricInfoV2 = version_word<FabricInfoV2>(2);

struct FabricInfoV3 {
  unsigned version;
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
  unsigned char health_summary;
};
inline constexpr unsigned kFabricInfoV3 = version_word<FabricInfoV3>(3);

// nvmlEventSetWait (before 450) writes only the first three members.
struct EventData {
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance_id, compute_instance_id;
};

struct GpmMetric {
  unsigned id;
  Return result;
  double value;
  struct {
    char *short_name, *long_name, *unit;
  } info;
};

// The driver touches metrics[0 .. count) only, so the bound of a newer header does not matter.
struct GpmMetricsGet {
  unsigned version;
  unsigned count;
  GpmSample first, second;
  GpmMetric metrics[gpm::kMaxMetrics];
};
inline constexpr unsigned kGpmMetricsGetVersion = 1;

struct GpmSupport {
  unsigned version;
  unsigned supported;
};
inline constexpr unsigned kGpmSupportVersion = 1;

}  // namespace warpsight::nvml::abi
