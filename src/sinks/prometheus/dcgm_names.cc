#include "sinks/prometheus/dcgm_names.h"

#include <charconv>

namespace warpsight {
namespace {

using enum DcgmType;

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kMega = 1e6;
constexpr double kNano = 1e9;
constexpr std::string_view kBlock = "gpu.ecc.memory_block";
constexpr std::string_view kLink = "gpu.interconnect.link_index";

// The names of DCGM before 4.6, which is what dashboards ask for. Left out is what we read
// differently than DCGM does: FB_USED_PERCENT leaves the reserved part out of the whole.
// The NVLink bandwidth fields are rates in MiB/s, whatever the exporter's help says.
constexpr DcgmRow kRows[] = {
    {"DCGM_FI_DEV_SM_CLOCK", gauge, "SM clock, MHz", Metric::gpu_clock_frequency,
     "gpu.clock.type=sm", 1, kMega},
    {"DCGM_FI_DEV_MEM_CLOCK", gauge, "memory clock, MHz", Metric::gpu_clock_frequency,
     "gpu.clock.type=memory", 1, kMega},
    {"DCGM_FI_DEV_VIDEO_CLOCK", gauge, "video clock, MHz", Metric::gpu_clock_frequency,
     "gpu.clock.type=video", 1, kMega},

    {"DCGM_FI_DEV_GPU_TEMP", gauge, "GPU temperature, C", Metric::gpu_temperature,
     "gpu.temperature.sensor=edge"},
    {"DCGM_FI_DEV_MEMORY_TEMP", gauge, "memory temperature, C", Metric::gpu_temperature,
     "gpu.temperature.sensor=memory"},
    {"DCGM_FI_DEV_SLOWDOWN_TEMP", gauge, "temperature at which clocks fall, C",
     Metric::gpu_temperature_limit, "gpu.temperature.threshold=slowdown"},
    {"DCGM_FI_DEV_SHUTDOWN_TEMP", gauge, "temperature at which the GPU shuts down, C",
     Metric::gpu_temperature_limit, "gpu.temperature.threshold=shutdown"},
    {"DCGM_FI_DEV_GPU_MAX_OP_TEMP", gauge, "highest operating temperature, C",
     Metric::gpu_temperature_limit, "gpu.temperature.threshold=max_operating"},
    {"DCGM_FI_DEV_GPU_TEMP_LIMIT", gauge, "degrees left to the slowdown limit, C",
     Metric::gpu_temperature_margin, "gpu.temperature.threshold=slowdown"},

    {"DCGM_FI_DEV_POWER_USAGE", gauge, "power draw, W", Metric::gpu_power_draw},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", gauge, "power limit, W", Metric::gpu_power_limit},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", gauge, "power limit in force, W", Metric::gpu_power_limit},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
     counter,
     "energy since the driver was loaded, mJ",
     Metric::gpu_energy_consumption,
     {},
     1e3},
    {"DCGM_FI_DEV_PSTATE", gauge, "performance state, 0 is the highest", Metric::gpu_power_state},
    {"DCGM_FI_DEV_FAN_SPEED", gauge, "fan speed, %", Metric::gpu_fan_speed, {}, 100},

    {"DCGM_FI_DEV_GPU_UTIL", gauge, "GPU utilization, %", Metric::gpu_utilization, {}, 100},
    {"DCGM_FI_DEV_MEM_COPY_UTIL",
     gauge,
     "memory controller utilization, %",
     Metric::gpu_memory_utilization,
     {},
     100},
    {"DCGM_FI_DEV_ENC_UTIL",
     gauge,
     "encoder utilization, %",
     Metric::gpu_encode_utilization,
     {},
     100},
    {"DCGM_FI_DEV_DEC_UTIL",
     gauge,
     "decoder utilization, %",
     Metric::gpu_decode_utilization,
     {},
     100},

    {"DCGM_FI_DEV_FB_FREE", gauge, "free device memory, MiB", Metric::gpu_memory_free, {}, 1, kMiB},
    {"DCGM_FI_DEV_FB_USED", gauge, "used device memory, MiB", Metric::gpu_memory_used, {}, 1, kMiB},
    {"DCGM_FI_DEV_FB_TOTAL",
     gauge,
     "all device memory, MiB",
     Metric::gpu_memory_total,
     {},
     1,
     kMiB},
    {"DCGM_FI_DEV_FB_RESERVED",
     gauge,
     "device memory held by driver and firmware, MiB",
     Metric::gpu_memory_reserved,
     {},
     1,
     kMiB},
    {"DCGM_FI_DEV_BAR1_USED",
     gauge,
     "BAR1 memory in use, MiB",
     Metric::gpu_memory_bar1_used,
     {},
     1,
     kMiB},

    {"DCGM_FI_DEV_XID_ERRORS", gauge, "last XID seen", Metric::gpu_xid_last_error_code},
    {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", gauge, "clock event reasons, a bit mask",
     Metric::gpu_throttle_reason},
    {"DCGM_FI_DEV_POWER_VIOLATION", counter, "time throttled for power, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=sw_power_cap", kNano},
    {"DCGM_FI_DEV_THERMAL_VIOLATION", counter, "time throttled for heat, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=hw_thermal", kNano},
    {"DCGM_FI_DEV_SYNC_BOOST_VIOLATION", counter, "time throttled for sync boost, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=sync_boost", kNano},
    {"DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", counter, "time throttled for the board's limit, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=board_limit", kNano},
    {"DCGM_FI_DEV_LOW_UTIL_VIOLATION", counter, "time clocks were low for want of work, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=low_utilization", kNano},
    {"DCGM_FI_DEV_RELIABILITY_VIOLATION", counter, "time throttled for reliability, ns",
     Metric::gpu_throttle_time, "gpu.throttle.cause=reliability", kNano},

#define ECC_ROWS(SUFFIX, BLOCK, PART)                                         \
  {"DCGM_FI_DEV_ECC_SBE_VOL_" SUFFIX,                                         \
   counter,                                                                   \
   "single-bit errors since the driver was loaded",                           \
   Metric::gpu_ecc_errors,                                                    \
   "gpu.ecc.error_type=correctable;gpu.ecc.count_type=volatile" BLOCK,        \
   1,                                                                         \
   1,                                                                         \
   PART},                                                                     \
      {"DCGM_FI_DEV_ECC_DBE_VOL_" SUFFIX,                                     \
       counter,                                                               \
       "double-bit errors since the driver was loaded",                       \
       Metric::gpu_ecc_errors,                                                \
       "gpu.ecc.error_type=uncorrectable;gpu.ecc.count_type=volatile" BLOCK,  \
       1,                                                                     \
       1,                                                                     \
       PART},                                                                 \
      {"DCGM_FI_DEV_ECC_SBE_AGG_" SUFFIX,                                     \
       counter,                                                               \
       "single-bit errors in the GPU's life",                                 \
       Metric::gpu_ecc_errors,                                                \
       "gpu.ecc.error_type=correctable;gpu.ecc.count_type=aggregate" BLOCK,   \
       1,                                                                     \
       1,                                                                     \
       PART},                                                                 \
      {"DCGM_FI_DEV_ECC_DBE_AGG_" SUFFIX,                                     \
       counter,                                                               \
       "double-bit errors in the GPU's life",                                 \
       Metric::gpu_ecc_errors,                                                \
       "gpu.ecc.error_type=uncorrectable;gpu.ecc.count_type=aggregate" BLOCK, \
       1,                                                                     \
       1,                                                                     \
       PART},
    ECC_ROWS("TOTAL", "", kBlock) ECC_ROWS("L1", ";gpu.ecc.memory_block=l1_cache", {})
        ECC_ROWS("L2", ";gpu.ecc.memory_block=l2_cache", {})
            ECC_ROWS("DEV", ";gpu.ecc.memory_block=dram", {})
                ECC_ROWS("REG", ";gpu.ecc.memory_block=register_file", {})
                    ECC_ROWS("TEX", ";gpu.ecc.memory_block=texture_memory", {})
#undef ECC_ROWS

                        {"DCGM_FI_DEV_RETIRED_SBE", counter, "pages retired for single-bit errors",
                         Metric::gpu_retired_pages, "gpu.ecc.error_type=correctable"},
    {"DCGM_FI_DEV_RETIRED_DBE", counter, "pages retired for double-bit errors",
     Metric::gpu_retired_pages, "gpu.ecc.error_type=uncorrectable"},
    {"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", counter, "rows remapped for correctable errors",
     Metric::gpu_row_remap_rows, "gpu.ecc.error_type=correctable"},
    {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", counter, "rows remapped for uncorrectable errors",
     Metric::gpu_row_remap_rows, "gpu.ecc.error_type=uncorrectable"},
    {"DCGM_FI_DEV_ROW_REMAP_FAILURE", gauge, "1 when a row remap failed",
     Metric::gpu_row_remap_failure},
    {"DCGM_FI_DEV_ROW_REMAP_PENDING", gauge, "1 when a row remap waits for a reset",
     Metric::gpu_row_remap_pending},
    {"DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_MAX", gauge, "banks with all spare rows left",
     Metric::gpu_row_remap_banks, "gpu.row_remap.availability=max"},
    {"DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_HIGH", gauge, "banks with many spare rows left",
     Metric::gpu_row_remap_banks, "gpu.row_remap.availability=high"},
    {"DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_PARTIAL", gauge, "banks with some spare rows left",
     Metric::gpu_row_remap_banks, "gpu.row_remap.availability=partial"},
    {"DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_LOW", gauge, "banks with few spare rows left",
     Metric::gpu_row_remap_banks, "gpu.row_remap.availability=low"},
    {"DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE", gauge, "banks with no spare row left",
     Metric::gpu_row_remap_banks, "gpu.row_remap.availability=none"},
    {"DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", gauge, "what the driver asks for, 0 is nothing",
     Metric::gpu_recovery_action},

    {"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", counter, "PCIe retries", Metric::gpu_pcie_replays},
    {"DCGM_FI_DEV_PCIE_LINK_GEN", gauge, "PCIe generation now", Metric::gpu_pcie_link_gen_current},
    {"DCGM_FI_DEV_PCIE_LINK_WIDTH", gauge, "PCIe lanes now", Metric::gpu_pcie_link_width_current},
    {"DCGM_FI_DEV_PCIE_MAX_LINK_GEN", gauge, "best PCIe generation", Metric::gpu_pcie_link_gen_max},
    {"DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", gauge, "most PCIe lanes", Metric::gpu_pcie_link_width_max},
    {"DCGM_FI_DEV_PCIE_TX_THROUGHPUT", gauge, "PCIe send rate, KB/s", Metric::gpu_pcie_throughput,
     "gpu.interconnect.direction=transmit", 1, 1e3},
    {"DCGM_FI_DEV_PCIE_RX_THROUGHPUT", gauge, "PCIe receive rate, KB/s",
     Metric::gpu_pcie_throughput, "gpu.interconnect.direction=receive", 1, 1e3},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", gauge, "PCIe send rate, bytes/s", Metric::gpu_pcie_throughput,
     "gpu.interconnect.direction=transmit"},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", gauge, "PCIe receive rate, bytes/s", Metric::gpu_pcie_throughput,
     "gpu.interconnect.direction=receive"},

    {"DCGM_FI_PROF_NVLINK_TX_BYTES", gauge, "NVLink send rate, bytes/s",
     Metric::gpu_interconnect_throughput,
     "gpu.interconnect.type=nvlink;gpu.interconnect.direction=transmit", 1, 1, kLink},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", gauge, "NVLink receive rate, bytes/s",
     Metric::gpu_interconnect_throughput,
     "gpu.interconnect.type=nvlink;gpu.interconnect.direction=receive", 1, 1, kLink},
    {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", gauge, "NVLink rate of all links, MiB/s",
     Metric::gpu_interconnect_throughput, "gpu.interconnect.type=nvlink", 1, kMiB, kLink},
    {"DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_TOTAL", gauge, "NVLink send rate of all links, MiB/s",
     Metric::gpu_interconnect_throughput,
     "gpu.interconnect.type=nvlink;gpu.interconnect.direction=transmit", 1, kMiB, kLink},
    {"DCGM_FI_DEV_NVLINK_RX_BANDWIDTH_TOTAL", gauge, "NVLink receive rate of all links, MiB/s",
     Metric::gpu_interconnect_throughput,
     "gpu.interconnect.type=nvlink;gpu.interconnect.direction=receive", 1, kMiB, kLink},

#define NVLINK_ERROR_ROW(NAME, ERROR, WHICH, LINK, PART)              \
  {"DCGM_FI_DEV_NVLINK_" NAME "_ERROR_COUNT_" WHICH,                  \
   counter,                                                           \
   "NVLink " ERROR " errors",                                         \
   Metric::gpu_interconnect_errors,                                   \
   "gpu.interconnect.type=nvlink;gpu.interconnect.error=" ERROR LINK, \
   1,                                                                 \
   1,                                                                 \
   PART},
#define NVLINK_ERROR_ROWS(WHICH, LINK, PART)                  \
  NVLINK_ERROR_ROW("CRC_FLIT", "crc_flit", WHICH, LINK, PART) \
  NVLINK_ERROR_ROW("CRC_DATA", "crc_data", WHICH, LINK, PART) \
  NVLINK_ERROR_ROW("REPLAY", "replay", WHICH, LINK, PART)     \
  NVLINK_ERROR_ROW("RECOVERY", "recovery", WHICH, LINK, PART)
#define NVLINK_ROWS(N)                                                     \
  {"DCGM_FI_DEV_NVLINK_BANDWIDTH_L" N,                                     \
   gauge,                                                                  \
   "NVLink rate of link " N ", MiB/s",                                     \
   Metric::gpu_interconnect_throughput,                                    \
   "gpu.interconnect.type=nvlink;gpu.interconnect.link_index=" N,          \
   1,                                                                      \
   kMiB},                                                                  \
      {"DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_L" N,                              \
       gauge,                                                              \
       "NVLink send rate of link " N ", MiB/s",                            \
       Metric::gpu_interconnect_throughput,                                \
       "gpu.interconnect.type=nvlink;gpu.interconnect.direction=transmit;" \
       "gpu.interconnect.link_index=" N,                                   \
       1,                                                                  \
       kMiB},                                                              \
      {"DCGM_FI_DEV_NVLINK_RX_BANDWIDTH_L" N,                              \
       gauge,                                                              \
       "NVLink receive rate of link " N ", MiB/s",                         \
       Metric::gpu_interconnect_throughput,                                \
       "gpu.interconnect.type=nvlink;gpu.interconnect.direction=receive;"  \
       "gpu.interconnect.link_index=" N,                                   \
       1,                                                                  \
       kMiB},                                                              \
      NVLINK_ERROR_ROWS("L" N, ";gpu.interconnect.link_index=" N, {})
    NVLINK_ERROR_ROWS("TOTAL", "", kLink) NVLINK_ROWS("0") NVLINK_ROWS("1") NVLINK_ROWS("2")
        NVLINK_ROWS("3") NVLINK_ROWS("4") NVLINK_ROWS("5") NVLINK_ROWS("6") NVLINK_ROWS("7")
            NVLINK_ROWS("8") NVLINK_ROWS("9") NVLINK_ROWS("10") NVLINK_ROWS("11") NVLINK_ROWS("12")
                NVLINK_ROWS("13") NVLINK_ROWS("14") NVLINK_ROWS("15") NVLINK_ROWS("16")
                    NVLINK_ROWS("17")
#undef NVLINK_ROWS
#undef NVLINK_ERROR_ROWS
#undef NVLINK_ERROR_ROW

                        {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", gauge, "graphics engine active, 0..1",
                         Metric::gpu_gr_engine_active},
    {"DCGM_FI_PROF_SM_ACTIVE", gauge, "SMs with a warp, 0..1", Metric::gpu_sm_active},
    {"DCGM_FI_PROF_SM_OCCUPANCY", gauge, "warps resident, 0..1", Metric::gpu_sm_occupancy},
    {"DCGM_FI_PROF_DRAM_ACTIVE", gauge, "memory interface active, 0..1", Metric::gpu_dram_active},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", gauge, "tensor pipe active, 0..1",
     Metric::gpu_pipe_tensor_active},
    {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", gauge, "fp64 pipe active, 0..1",
     Metric::gpu_pipe_fp64_active},
    {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", gauge, "fp32 pipe active, 0..1",
     Metric::gpu_pipe_fp32_active},
    {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", gauge, "fp16 pipe active, 0..1",
     Metric::gpu_pipe_fp16_active},
    {"DCGM_FI_PROF_PIPE_INT_ACTIVE", gauge, "integer pipe active, 0..1",
     Metric::gpu_pipe_int_active},
};

struct CauseBit {
  std::string_view cause;
  uint64_t bit;
};

// Idle (bit 0) is no cause of ours, so it is never set.
constexpr CauseBit kCauseBits[] = {
    {"applications_clocks", 0x002}, {"sw_power_cap", 0x004},   {"hw_slowdown", 0x008},
    {"sync_boost", 0x010},          {"sw_thermal", 0x020},     {"hw_thermal", 0x040},
    {"hw_power_brake", 0x080},      {"display_clocks", 0x100},
};
constexpr std::string_view kUnknownCause = "unknown_";

}  // namespace

std::span<const DcgmRow> dcgm_rows() { return kRows; }

uint64_t dcgm_throttle_bit(std::string_view cause) {
  for (const CauseBit& known : kCauseBits) {
    if (known.cause == cause) return known.bit;
  }
  if (!cause.starts_with(kUnknownCause)) return 0;
  cause.remove_prefix(kUnknownCause.size());
  if (cause.starts_with("0x")) cause.remove_prefix(2);
  uint64_t bit = 0;
  const auto [end, error] = std::from_chars(cause.data(), cause.data() + cause.size(), bit, 16);
  return error == std::errc() && end == cause.data() + cause.size() ? bit : 0;
}

}  // namespace warpsight
