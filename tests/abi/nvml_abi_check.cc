// Compares Warpsight's declaration of NVML's binary interface with a real nvml.h, at compile time:
//
//   cmake -B build/abi -DWARPSIGHT_NVML_H=/usr/local/cuda/include/nvml.h
//   cmake --build build/abi --target warpsight_nvml_abi_check
//
// Written against API 13 (driver 580). Constants are in nvml_constants_check.cc.
#include <tuple>
#include <type_traits>
#include <utility>

#include "sources/nvml/abi.h"

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include NVML_H

namespace warpsight::nvml::abi {
namespace {

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SIZE(ours, theirs) \
  static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs))
#define OFFSET(ours, a, theirs, b)                          \
  static_assert(offsetof(ours, a) == offsetof(theirs, b) && \
                sizeof(std::declval<ours>().a) == sizeof(std::declval<theirs>().b))
#define EQUAL(ours, theirs) \
  static_assert(static_cast<unsigned long long>(ours) == static_cast<unsigned long long>(theirs))

SIZE(PciInfo, nvmlPciInfo_t);
OFFSET(PciInfo, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
OFFSET(PciInfo, domain, nvmlPciInfo_t, domain);
OFFSET(PciInfo, bus, nvmlPciInfo_t, bus);
OFFSET(PciInfo, device, nvmlPciInfo_t, device);
OFFSET(PciInfo, pci_device_id, nvmlPciInfo_t, pciDeviceId);
OFFSET(PciInfo, pci_subsystem_id, nvmlPciInfo_t, pciSubSystemId);
OFFSET(PciInfo, bus_id, nvmlPciInfo_t, busId);
SIZE(Utilization, nvmlUtilization_t);
OFFSET(Utilization, gpu, nvmlUtilization_t, gpu);
OFFSET(Utilization, memory, nvmlUtilization_t, memory);
SIZE(Memory, nvmlMemory_t);
OFFSET(Memory, total, nvmlMemory_t, total);
OFFSET(Memory, free, nvmlMemory_t, free);
OFFSET(Memory, used, nvmlMemory_t, used);
SIZE(MemoryV2, nvmlMemory_v2_t);
OFFSET(MemoryV2, version, nvmlMemory_v2_t, version);
OFFSET(MemoryV2, total, nvmlMemory_v2_t, total);
OFFSET(MemoryV2, reserved, nvmlMemory_v2_t, reserved);
OFFSET(MemoryV2, free, nvmlMemory_v2_t, free);
OFFSET(MemoryV2, used, nvmlMemory_v2_t, used);
SIZE(Bar1Memory, nvmlBAR1Memory_t);
OFFSET(Bar1Memory, total, nvmlBAR1Memory_t, bar1Total);
OFFSET(Bar1Memory, free, nvmlBAR1Memory_t, bar1Free);
OFFSET(Bar1Memory, used, nvmlBAR1Memory_t, bar1Used);
SIZE(ProcessInfoV1, nvmlProcessInfo_v1_t);
OFFSET(ProcessInfoV1, pid, nvmlProcessInfo_v1_t, pid);
OFFSET(ProcessInfoV1, used_gpu_memory, nvmlProcessInfo_v1_t, usedGpuMemory);
SIZE(ProcessInfo, nvmlProcessInfo_t);
OFFSET(ProcessInfo, pid, nvmlProcessInfo_t, pid);
OFFSET(ProcessInfo, used_gpu_memory, nvmlProcessInfo_t, usedGpuMemory);
OFFSET(ProcessInfo, gpu_instance_id, nvmlProcessInfo_t, gpuInstanceId);
OFFSET(ProcessInfo, compute_instance_id, nvmlProcessInfo_t, computeInstanceId);
SIZE(DeviceAttributes, nvmlDeviceAttributes_t);
OFFSET(DeviceAttributes, multiprocessor_count, nvmlDeviceAttributes_t, multiprocessorCount);
OFFSET(DeviceAttributes, shared_copy_engine_count, nvmlDeviceAttributes_t, sharedCopyEngineCount);
OFFSET(DeviceAttributes, shared_decoder_count, nvmlDeviceAttributes_t, sharedDecoderCount);
OFFSET(DeviceAttributes, shared_encoder_count, nvmlDeviceAttributes_t, sharedEncoderCount);
OFFSET(DeviceAttributes, shared_jpeg_count, nvmlDeviceAttributes_t, sharedJpegCount);
OFFSET(DeviceAttributes, shared_ofa_count, nvmlDeviceAttributes_t, sharedOfaCount);
OFFSET(DeviceAttributes, gpu_instance_slice_count, nvmlDeviceAttributes_t, gpuInstanceSliceCount);
OFFSET(DeviceAttributes, compute_instance_slice_count, nvmlDeviceAttributes_t,
       computeInstanceSliceCount);
OFFSET(DeviceAttributes, memory_size_mb, nvmlDeviceAttributes_t, memorySizeMB);
SIZE(RepairStatus, nvmlRepairStatus_v1_t);
OFFSET(RepairStatus, channel_repair_pending, nvmlRepairStatus_v1_t, bChannelRepairPending);
OFFSET(RepairStatus, tpc_repair_pending, nvmlRepairStatus_v1_t, bTpcRepairPending);
SIZE(RowRemapperHistogram, nvmlRowRemapperHistogramValues_t);
OFFSET(RowRemapperHistogram, max, nvmlRowRemapperHistogramValues_t, max);
OFFSET(RowRemapperHistogram, high, nvmlRowRemapperHistogramValues_t, high);
OFFSET(RowRemapperHistogram, partial, nvmlRowRemapperHistogramValues_t, partial);
OFFSET(RowRemapperHistogram, low, nvmlRowRemapperHistogramValues_t, low);
OFFSET(RowRemapperHistogram, none, nvmlRowRemapperHistogramValues_t, none);
SIZE(Value, nvmlValue_t);
SIZE(Sample, nvmlSample_t);
OFFSET(Sample, time_us, nvmlSample_t, timeStamp);
OFFSET(Sample, value, nvmlSample_t, sampleValue);
SIZE(ViolationTime, nvmlViolationTime_t);
OFFSET(ViolationTime, reference_time_us, nvmlViolationTime_t, referenceTime);
OFFSET(ViolationTime, violation_time_ns, nvmlViolationTime_t, violationTime);
SIZE(FieldValue, nvmlFieldValue_t);
OFFSET(FieldValue, field_id, nvmlFieldValue_t, fieldId);
OFFSET(FieldValue, scope_id, nvmlFieldValue_t, scopeId);
OFFSET(FieldValue, time_us, nvmlFieldValue_t, timestamp);
OFFSET(FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
OFFSET(FieldValue, value_type, nvmlFieldValue_t, valueType);
OFFSET(FieldValue, result, nvmlFieldValue_t, nvmlReturn);
OFFSET(FieldValue, value, nvmlFieldValue_t, value);
SIZE(ProcessUtilizationSample, nvmlProcessUtilizationSample_t);
OFFSET(ProcessUtilizationSample, pid, nvmlProcessUtilizationSample_t, pid);
OFFSET(ProcessUtilizationSample, time_us, nvmlProcessUtilizationSample_t, timeStamp);
OFFSET(ProcessUtilizationSample, sm, nvmlProcessUtilizationSample_t, smUtil);
OFFSET(ProcessUtilizationSample, memory, nvmlProcessUtilizationSample_t, memUtil);
OFFSET(ProcessUtilizationSample, encoder, nvmlProcessUtilizationSample_t, encUtil);
OFFSET(ProcessUtilizationSample, decoder, nvmlProcessUtilizationSample_t, decUtil);
SIZE(ProcessUtilizationInfo, nvmlProcessUtilizationInfo_v1_t);
OFFSET(ProcessUtilizationInfo, time_us, nvmlProcessUtilizationInfo_v1_t, timeStamp);
OFFSET(ProcessUtilizationInfo, pid, nvmlProcessUtilizationInfo_v1_t, pid);
OFFSET(ProcessUtilizationInfo, sm, nvmlProcessUtilizationInfo_v1_t, smUtil);
OFFSET(ProcessUtilizationInfo, memory, nvmlProcessUtilizationInfo_v1_t, memUtil);
OFFSET(ProcessUtilizationInfo, encoder, nvmlProcessUtilizationInfo_v1_t, encUtil);
OFFSET(ProcessUtilizationInfo, decoder, nvmlProcessUtilizationInfo_v1_t, decUtil);
OFFSET(ProcessUtilizationInfo, jpeg, nvmlProcessUtilizationInfo_v1_t, jpgUtil);
OFFSET(ProcessUtilizationInfo, ofa, nvmlProcessUtilizationInfo_v1_t, ofaUtil);
SIZE(ProcessesUtilizationInfo, nvmlProcessesUtilizationInfo_v1_t);
OFFSET(ProcessesUtilizationInfo, count, nvmlProcessesUtilizationInfo_v1_t, processSamplesCount);
OFFSET(ProcessesUtilizationInfo, last_seen_us, nvmlProcessesUtilizationInfo_v1_t,
       lastSeenTimeStamp);
OFFSET(ProcessesUtilizationInfo, processes, nvmlProcessesUtilizationInfo_v1_t, procUtilArray);
SIZE(SramEccStatus, nvmlEccSramErrorStatus_v1_t);
OFFSET(SramEccStatus, aggregate_uncorrected_parity, nvmlEccSramErrorStatus_v1_t,
       aggregateUncParity);
OFFSET(SramEccStatus, aggregate_uncorrected_secded, nvmlEccSramErrorStatus_v1_t,
       aggregateUncSecDed);
OFFSET(SramEccStatus, aggregate_corrected, nvmlEccSramErrorStatus_v1_t, aggregateCor);
OFFSET(SramEccStatus, volatile_uncorrected_parity, nvmlEccSramErrorStatus_v1_t, volatileUncParity);
OFFSET(SramEccStatus, volatile_uncorrected_secded, nvmlEccSramErrorStatus_v1_t, volatileUncSecDed);
OFFSET(SramEccStatus, volatile_corrected, nvmlEccSramErrorStatus_v1_t, volatileCor);
OFFSET(SramEccStatus, aggregate_l2, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketL2);
OFFSET(SramEccStatus, aggregate_sm, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketSm);
OFFSET(SramEccStatus, aggregate_pcie, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketPcie);
OFFSET(SramEccStatus, aggregate_mcu, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketMcu);
OFFSET(SramEccStatus, aggregate_other, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketOther);
OFFSET(SramEccStatus, threshold_exceeded, nvmlEccSramErrorStatus_v1_t, bThresholdExceeded);
SIZE(TemperatureV1, nvmlTemperature_v1_t);
OFFSET(TemperatureV1, sensor, nvmlTemperature_v1_t, sensorType);
OFFSET(TemperatureV1, celsius, nvmlTemperature_v1_t, temperature);
SIZE(MarginTemperature, nvmlMarginTemperature_v1_t);
OFFSET(MarginTemperature, celsius, nvmlMarginTemperature_v1_t, marginTemperature);
SIZE(FabricInfo, nvmlGpuFabricInfo_t);
OFFSET(FabricInfo, cluster_uuid, nvmlGpuFabricInfo_t, clusterUuid);
OFFSET(FabricInfo, status, nvmlGpuFabricInfo_t, status);
OFFSET(FabricInfo, clique_id, nvmlGpuFabricInfo_t, cliqueId);
OFFSET(FabricInfo, state, nvmlGpuFabricInfo_t, state);
SIZE(FabricInfoV2, nvmlGpuFabricInfo_v2_t);
OFFSET(FabricInfoV2, health_mask, nvmlGpuFabricInfo_v2_t, healthMask);
SIZE(FabricInfoV3, nvmlGpuFabricInfo_v3_t);
OFFSET(FabricInfoV3, cluster_uuid, nvmlGpuFabricInfo_v3_t, clusterUuid);
OFFSET(FabricInfoV3, status, nvmlGpuFabricInfo_v3_t, status);
OFFSET(FabricInfoV3, clique_id, nvmlGpuFabricInfo_v3_t, cliqueId);
OFFSET(FabricInfoV3, state, nvmlGpuFabricInfo_v3_t, state);
OFFSET(FabricInfoV3, health_mask, nvmlGpuFabricInfo_v3_t, healthMask);
OFFSET(FabricInfoV3, health_summary, nvmlGpuFabricInfo_v3_t, healthSummary);
SIZE(EventData, nvmlEventData_t);
OFFSET(EventData, device, nvmlEventData_t, device);
OFFSET(EventData, type, nvmlEventData_t, eventType);
OFFSET(EventData, data, nvmlEventData_t, eventData);
OFFSET(EventData, gpu_instance_id, nvmlEventData_t, gpuInstanceId);
OFFSET(EventData, compute_instance_id, nvmlEventData_t, computeInstanceId);
SIZE(GpmMetric, nvmlGpmMetric_t);
OFFSET(GpmMetric, id, nvmlGpmMetric_t, metricId);
OFFSET(GpmMetric, result, nvmlGpmMetric_t, nvmlReturn);
OFFSET(GpmMetric, value, nvmlGpmMetric_t, value);
OFFSET(GpmMetric, info, nvmlGpmMetric_t, metricInfo);
OFFSET(GpmMetricsGet, count, nvmlGpmMetricsGet_t, numMetrics);
OFFSET(GpmMetricsGet, first, nvmlGpmMetricsGet_t, sample1);
OFFSET(GpmMetricsGet, second, nvmlGpmMetricsGet_t, sample2);
static_assert(offsetof(GpmMetricsGet, metrics) == offsetof(nvmlGpmMetricsGet_t, metrics));
SIZE(GpmSupport, nvmlGpmSupport_t);
OFFSET(GpmSupport, supported, nvmlGpmSupport_t, isSupportedDevice);

EQUAL(kMemoryV2, nvmlMemory_v2);
EQUAL(kRepairStatusV1, nvmlRepairStatus_v1);
EQUAL(kProcessesUtilizationInfoV1, nvmlProcessesUtilizationInfo_v1);
EQUAL(kSramEccStatusV1, nvmlEccSramErrorStatus_v1);
EQUAL(kTemperatureV1, nvmlTemperature_v1);
EQUAL(kMarginTemperatureV1, nvmlMarginTemperature_v1);
EQUAL(kFabricInfoV2, nvmlGpuFabricInfo_v2);
EQUAL(kFabricInfoV3, nvmlGpuFabricInfo_v3);
EQUAL(kGpmMetricsGetVersion, NVML_GPM_METRICS_GET_VERSION);
EQUAL(kGpmSupportVersion, NVML_GPM_SUPPORT_VERSION);

// Younger than the headers that came with driver 580.
#ifdef NVML_DEVICE_ARCH_RUBIN
SIZE(UnrepairableMemoryStatus, nvmlUnrepairableMemoryStatus_v1_t);
SIZE(RemappedRowsV2, nvmlRemappedRowsInfo_v2_t);
OFFSET(RemappedRowsV2, corrected_active, nvmlRemappedRowsInfo_v2_t, corrActiveRemaps);
OFFSET(RemappedRowsV2, corrected_inactive, nvmlRemappedRowsInfo_v2_t, corrInactiveRemaps);
OFFSET(RemappedRowsV2, uncorrected_active, nvmlRemappedRowsInfo_v2_t, uncActiveRemaps);
OFFSET(RemappedRowsV2, uncorrected_inactive, nvmlRemappedRowsInfo_v2_t, uncInactiveRemaps);
OFFSET(RemappedRowsV2, pending, nvmlRemappedRowsInfo_v2_t, bPending);
OFFSET(RemappedRowsV2, failure_occurred, nvmlRemappedRowsInfo_v2_t, bFailureOccurred);
#else
Return nvmlDeviceGetRemappedRows_v2(Device, RemappedRowsV2*);
Return nvmlDeviceGetUnrepairableMemoryFlag_v1(Device, UnrepairableMemoryStatus*);
#endif

// Each function exists, and its parameters have the sizes we pass.
template <typename A, typename B>
struct SameShape : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameShape<R (*)(A...), S (*)(B...)>
    : std::bool_constant<(
          (sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>) && ... &&
          (sizeof(R) == sizeof(S)))> {};

#define WARPSIGHT_NVML(result, name, parameters) \
  static_assert(SameShape<result(*) parameters, decltype(&name)>::value, #name);
#include "sources/nvml/functions.def"

}  // namespace
}  // namespace warpsight::nvml::abi
