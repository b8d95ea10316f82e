#include "simulate/nvml/readout.h"

#include <cmath>

namespace warpsight::simulate {

using nvml::abi::NvLinkErrorCounter;

double average_milliwatts(const Call& call) {
  return std::floor(call.gpu->mean(Reading::power, call.t - 1, call.t) * 1000 + 0.5);
}

double instant_milliwatts(const Call& call) {
  return std::floor(call.gpu->mean(Reading::power, call.t - 0.02, call.t) * 1000 + 0.5);
}

std::uint64_t ecc_dram(const Call& call, bool uncorrected, bool aggregate) {
  // Aggregates live in the InfoROM and outlast the driver.
  if (aggregate) {
    return to_u64(call.value(uncorrected ? Reading::ecc_aggregate_dram_uncorrected
                                         : Reading::ecc_aggregate_dram_corrected));
  }
  return call.gpu->count(
      uncorrected ? Reading::ecc_volatile_dram_uncorrected : Reading::ecc_volatile_dram_corrected,
      call.t);
}

std::uint64_t ecc_sram(const Call& call, bool uncorrected, bool aggregate) {
  if (!aggregate) {
    if (!uncorrected) return call.gpu->count(Reading::ecc_volatile_sram_corrected, call.t);
    return call.gpu->count(Reading::ecc_volatile_sram_uncorrected_parity, call.t) +
           call.gpu->count(Reading::ecc_volatile_sram_uncorrected_secded, call.t);
  }
  if (!uncorrected) {
    return to_u64(call.value(Reading::ecc_aggregate_sram_corrected));
  }
  return to_u64(call.value(Reading::ecc_aggregate_sram_uncorrected_parity) +
                call.value(Reading::ecc_aggregate_sram_uncorrected_secded));
}

std::uint64_t ecc_total(const Call& call, bool uncorrected, bool aggregate) {
  return ecc_dram(call, uncorrected, aggregate) + ecc_sram(call, uncorrected, aggregate);
}

unsigned links_up(const Call& call) {
  return std::min(call.spec().nvlinks, call.natural(Reading::nvlink_links_up));
}

std::uint64_t link_errors(const Call& call, NvLinkErrorCounter kind, unsigned link) {
  if (link != call.spec().nvlink_error_link) return 0;
  switch (kind) {
    case NvLinkErrorCounter::dl_replay:
      return call.gpu->count(Reading::nvlink_replay_errors, call.t);
    case NvLinkErrorCounter::dl_recovery:
      return call.gpu->count(Reading::nvlink_recovery_errors, call.t);
    case NvLinkErrorCounter::dl_crc_flit:
      return call.gpu->count(Reading::nvlink_crc_flit_errors, call.t);
    case NvLinkErrorCounter::dl_crc_data:
      return call.gpu->count(Reading::nvlink_crc_data_errors, call.t);
    default: return 0;
  }
}

bool has_classic_links(const Call& call) {
  return call.spec().architecture < nvml::abi::architecture::kBlackwell;
}

}  // namespace warpsight::simulate
