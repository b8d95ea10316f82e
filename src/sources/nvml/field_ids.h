// Ids of NVML's field values (nvmlDeviceGetFieldValues) and GPM metrics.
#pragma once

namespace warpsight::nvml::abi::field {

inline constexpr unsigned kEccCurrent = 1, kEccPending = 2, kEccCorrectedVolatile = 3,
                          kEccUncorrectedVolatile = 4, kEccCorrectedAggregate = 5,
                          kEccUncorrectedAggregate = 6;
inline constexpr unsigned kRetiredSbe = 29, kRetiredDbe = 30, kRetiredPending = 31,
                          kRetiredPendingSbe = 92, kRetiredPendingDbe = 93;

// Error totals over all links; links 0..11 have ids of their own (see nvlink_error()).
inline constexpr unsigned kNvLinkCrcFlitTotal = 38, kNvLinkCrcDataTotal = 45,
                          kNvLinkReplayTotal = 52, kNvLinkRecoveryTotal = 59;

// Time spent under each policy, in ns. The first three double as clocks-event-reason counters.
inline constexpr unsigned kPerfPolicyPower = 74, kPerfPolicyThermal = 75, kPerfPolicySyncBoost = 76,
                          kPerfPolicyBoardLimit = 77, kPerfPolicyLowUtilization = 78,
                          kPerfPolicyReliability = 79, kPerfPolicyAppClocks = 80,
                          kPerfPolicyBaseClocks = 81;
inline constexpr unsigned kClocksEventSwPowerCap = kPerfPolicyPower,
                          kClocksEventSyncBoost = kPerfPolicySyncBoost, kClocksEventSwThermal = 269,
                          kClocksEventHwThermal = 270, kClocksEventHwPowerBrake = 271;

inline constexpr unsigned kMemoryTemperature = 82;
// mJ.
inline constexpr unsigned kTotalEnergy = 83;
inline constexpr unsigned kNvLinkSpeedCommon = 90, kNvLinkCount = 91;
inline constexpr unsigned kPcieReplay = 94, kPcieReplayRollover = 95;

// Cumulative KiB. The scope id is the link, or kAllLinks for the sum.
inline constexpr unsigned kNvLinkDataTx = 138, kNvLinkDataRx = 139, kNvLinkRawTx = 140,
                          kNvLinkRawRx = 141;
inline constexpr unsigned kAllLinks = 0xffffffff;

inline constexpr unsigned kRemappedCorrected = 142, kRemappedUncorrected = 143,
                          kRemappedPending = 144, kRemappedFailure = 145,
                          kRemappedCorrectedInactive = 301, kRemappedUncorrectedInactive = 302;

// The scope id is the link.
inline constexpr unsigned kNvLinkRemoteId = 146, kNvLinkErrorReplay = 161,
                          kNvLinkErrorRecovery = 162, kNvLinkErrorCrc = 163, kNvLinkSpeed = 164,
                          kNvLinkState = 165, kNvLinkVersion = 166, kNvLinkPowerState = 167;
inline constexpr unsigned kNvSwitchConnectedLinks = 147;
// NVLink 5 (Blackwell) counts in place of the above. The scope id is the link.
inline constexpr unsigned kNvLink5TxPackets = 201, kNvLink5TxBytes = 202, kNvLink5RxPackets = 203,
                          kNvLink5RxBytes = 204, kNvLink5MalformedPackets = 206,
                          kNvLink5BufferOverruns = 207, kNvLink5RxErrors = 208,
                          kNvLink5RxRemoteErrors = 209, kNvLink5RxGeneralErrors = 210,
                          kNvLink5IntegrityErrors = 211, kNvLink5TxDiscards = 212,
                          kNvLink5RecoverySucceeded = 213, kNvLink5RecoveryFailed = 214,
                          kNvLink5RecoveryEvents = 215, kNvLink5EffectiveErrors = 219,
                          kNvLink5SymbolErrors = 221;

inline constexpr unsigned kPcieL0ToRecovery = 169, kPcieCorrectableErrors = 173,
                          kPcieNaksReceived = 174, kPcieReceiverErrors = 175, kPcieBadTlp = 176,
                          kPcieNaksSent = 177, kPcieBadDllp = 178, kPcieNonFatalErrors = 179,
                          kPcieFatalErrors = 180, kPcieUnsupportedRequests = 181,
                          kPcieLcrcErrors = 182, kPcieLaneErrors = 183;
inline constexpr unsigned kC2cLinkCount = 170, kC2cLinkStatus = 171, kC2cLinkMaxBandwidth = 172;

// Power in mW, energy in mJ. The scope id is one of the power scopes below.
inline constexpr unsigned kPowerAverage = 185, kPowerInstant = 186, kPowerMinLimit = 187,
                          kPowerMaxLimit = 188, kPowerDefaultLimit = 189, kPowerCurrentLimit = 190,
                          kEnergy = 191, kPowerRequestedLimit = 192;
inline constexpr unsigned kPowerScopeGpu = 0, kPowerScopeModule = 1, kPowerScopeMemory = 2;

// Margins in °C relative to the T.Limit point (Ada and later); they may be negative.
inline constexpr unsigned kShutdownMargin = 193, kSlowdownMargin = 194, kMemMaxMargin = 195,
                          kGpuMaxMargin = 196;

// Bytes since the driver loaded; they may wrap.
inline constexpr unsigned kPcieTxBytes = 197, kPcieRxBytes = 198;

inline constexpr unsigned kGpuRecoveryAction = 230;
inline constexpr unsigned kResetlessMigSupported = 184, kMigQueryCapable = 199;
// First id past those known here.
inline constexpr unsigned kMax = 303;

enum class NvLinkErrorField : unsigned { crc_flit, crc_data, replay, recovery };

// Id of a per-link error field; links 0..11 only, 0 for the others (they are read by
// nvmlDeviceGetNvLinkErrorCounter or the fields with a scope id).
constexpr unsigned nvlink_error(NvLinkErrorField kind, unsigned link) {
  const auto index = static_cast<unsigned>(kind);
  if (link < 6) return 32 + 7 * index + link;
  return link < 12 ? 96 + 6 * index + (link - 6) : 0;
}

}  // namespace warpsight::nvml::abi::field

namespace warpsight::nvml::abi::gpm {

// Percent.
inline constexpr unsigned kGraphicsUtil = 1, kSmUtil = 2, kSmOccupancy = 3, kIntegerUtil = 4,
                          kAnyTensorUtil = 5, kDfmaTensorUtil = 6, kHmmaTensorUtil = 7,
                          kDmmaTensorUtil = 8, kImmaTensorUtil = 9, kDramBandwidthUtil = 10,
                          kFp64Util = 11, kFp32Util = 12, kFp16Util = 13;
// MiB/s.
inline constexpr unsigned kPcieTx = 20, kPcieRx = 21, kNvLinkTotalRx = 60, kNvLinkTotalTx = 61;
inline constexpr unsigned kNvDec0Util = 30, kNvJpg0Util = 40, kNvOfa0Util = 50, kNvEnc0Util = 166;
inline constexpr unsigned kMaxMetrics = 333;

// Ids of one link's rates; 0 past the last link that has one.
constexpr unsigned nvlink_rx(unsigned link) {
  if (link < 18) return 62 + 2 * link;
  return link < 36 ? 212 + 2 * (link - 18) : 0;
}
constexpr unsigned nvlink_tx(unsigned link) { return link < 36 ? nvlink_rx(link) + 1 : 0; }

}  // namespace warpsight::nvml::abi::gpm
