// ECC, row remapping, retired pages, repairs.
#include "simulate/nvml/api.h"
#include "simulate/nvml/readout.h"

namespace warpsight::nvml::abi {
namespace {

bool is_uncorrected(MemoryErrorType type) { return type == MemoryErrorType::uncorrected; }
bool is_aggregate(EccCounterType counter) { return counter == EccCounterType::aggregate; }

// Before Ampere counters stood at the single caches; since then at SRAM as a whole.
bool has_location(const GpuSpec& spec, MemoryLocation location) {
  const bool recent = spec.architecture >= architecture::kAmpere;
  switch (location) {
    case MemoryLocation::dram: return true;
    case MemoryLocation::sram: return recent;
    case MemoryLocation::l1_cache:
    case MemoryLocation::l2_cache:
    case MemoryLocation::register_file: return !recent;
    default: return false;
  }
}

unsigned long long total_of(const Call& call, Reading reading) {
  return simulate::to_u64(call.value(reading));
}

}  // namespace

Return nvmlDeviceGetEccMode(Device device, EnableState* current, EnableState* pending) {
  const bool good = current != nullptr && pending != nullptr;
  const Call call = enter(Function::nvmlDeviceGetEccMode, device, good);
  if (!call) return call.result;
  const auto state = static_cast<EnableState>(call.spec().ecc ? 1 : 0);
  call.put_enum(pending, state);
  return call.put_enum(current, state);
}

Return nvmlDeviceGetTotalEccErrors(Device device, MemoryErrorType type, EccCounterType counter,
                                   unsigned long long* count) {
  const bool good = count != nullptr && type <= MemoryErrorType::uncorrected &&
                    counter <= EccCounterType::aggregate;
  const Call call = enter(Function::nvmlDeviceGetTotalEccErrors, device, good);
  if (!call) return call.result;
  if (!call.spec().ecc) return Return::not_supported;
  return call.put(count, simulate::ecc_total(call, is_uncorrected(type), is_aggregate(counter)));
}

Return nvmlDeviceGetMemoryErrorCounter(Device device, MemoryErrorType type, EccCounterType counter,
                                       MemoryLocation location, unsigned long long* count) {
  const bool good = count != nullptr && type <= MemoryErrorType::uncorrected &&
                    counter <= EccCounterType::aggregate && location <= MemoryLocation::sram;
  const Call call = enter(Function::nvmlDeviceGetMemoryErrorCounter, device, good);
  if (!call) return call.result;
  if (!call.spec().ecc || !has_location(call.spec(), location)) return Return::not_supported;
  const bool uncorrected = is_uncorrected(type);
  const bool aggregate = is_aggregate(counter);
  if (location == MemoryLocation::dram) {
    return call.put(count, simulate::ecc_dram(call, uncorrected, aggregate));
  }
  // Where SRAM is told by cache, all of it is the L2's.
  const bool counted = location == MemoryLocation::sram || location == MemoryLocation::l2_cache;
  return call.put(count,
                  counted ? simulate::ecc_sram(call, uncorrected, aggregate) : std::uint64_t{0});
}

Return nvmlDeviceGetSramEccErrorStatus(Device device, SramEccStatus* status) {
  const Call call = enter(Function::nvmlDeviceGetSramEccErrorStatus, device, status != nullptr);
  if (!call) return call.result;
  if (status->version != kSramEccStatusV1) return Return::argument_version_mismatch;
  if (!call.spec().ecc || call.spec().architecture < architecture::kAmpere) {
    return Return::not_supported;
  }
  const auto volatile_count = [&call](Reading reading) { return call.gpu->count(reading, call.t); };
  status->aggregate_uncorrected_parity =
      total_of(call, Reading::ecc_aggregate_sram_uncorrected_parity);
  status->aggregate_uncorrected_secded =
      total_of(call, Reading::ecc_aggregate_sram_uncorrected_secded);
  status->aggregate_corrected = total_of(call, Reading::ecc_aggregate_sram_corrected);
  status->volatile_uncorrected_parity =
      volatile_count(Reading::ecc_volatile_sram_uncorrected_parity);
  status->volatile_uncorrected_secded =
      volatile_count(Reading::ecc_volatile_sram_uncorrected_secded);
  status->volatile_corrected = volatile_count(Reading::ecc_volatile_sram_corrected);
  status->aggregate_l2 = total_of(call, Reading::ecc_sram_l2);
  status->aggregate_sm = total_of(call, Reading::ecc_sram_sm);
  status->aggregate_pcie = total_of(call, Reading::ecc_sram_pcie);
  status->aggregate_mcu = total_of(call, Reading::ecc_sram_mcu);
  status->aggregate_other = total_of(call, Reading::ecc_sram_other);
  return call.put(&status->threshold_exceeded, call.value(Reading::ecc_sram_threshold_exceeded));
}

Return nvmlDeviceGetRemappedRows(Device device, unsigned* corrected, unsigned* uncorrected,
                                 unsigned* pending, unsigned* failure) {
  const bool good =
      corrected != nullptr && uncorrected != nullptr && pending != nullptr && failure != nullptr;
  const Call call = enter(Function::nvmlDeviceGetRemappedRows, device, good);
  if (!call) return call.result;
  if (!call.spec().row_remap) return Return::not_supported;
  call.put(corrected, call.value(Reading::rows_remapped_corrected));
  call.put(uncorrected, call.value(Reading::rows_remapped_uncorrected));
  call.put(pending, call.value(Reading::row_remap_pending));
  return call.put(failure, call.value(Reading::row_remap_failure));
}

Return nvmlDeviceGetRemappedRows_v2(Device device, RemappedRowsV2* rows) {
  const Call call = enter(Function::nvmlDeviceGetRemappedRows_v2, device, rows != nullptr);
  if (!call) return call.result;
  if (!call.spec().row_remap) return Return::not_supported;
  call.put(&rows->corrected_active, call.value(Reading::rows_remapped_corrected));
  call.put(&rows->corrected_inactive, call.value(Reading::rows_remapped_corrected_inactive));
  call.put(&rows->uncorrected_active, call.value(Reading::rows_remapped_uncorrected));
  call.put(&rows->uncorrected_inactive, call.value(Reading::rows_remapped_uncorrected_inactive));
  call.put(&rows->pending, call.value(Reading::row_remap_pending));
  return call.put(&rows->failure_occurred, call.value(Reading::row_remap_failure));
}

Return nvmlDeviceGetRowRemapperHistogram(Device device, RowRemapperHistogram* histogram) {
  const Call call =
      enter(Function::nvmlDeviceGetRowRemapperHistogram, device, histogram != nullptr);
  if (!call) return call.result;
  if (!call.spec().row_remap) return Return::not_supported;
  call.put(&histogram->max, call.value(Reading::row_remap_banks_max));
  call.put(&histogram->high, call.value(Reading::row_remap_banks_high));
  call.put(&histogram->partial, call.value(Reading::row_remap_banks_partial));
  call.put(&histogram->low, call.value(Reading::row_remap_banks_low));
  return call.put(&histogram->none, call.value(Reading::row_remap_banks_none));
}

Return nvmlDeviceGetRetiredPages(Device device, PageRetirementCause cause, unsigned* count,
                                 unsigned long long* addresses) {
  const bool good = count != nullptr && cause <= PageRetirementCause::double_bit;
  const Call call = enter(Function::nvmlDeviceGetRetiredPages, device, good);
  if (!call) return call.result;
  if (!call.spec().retired_pages) return Return::not_supported;
  const unsigned pages =
      call.natural(cause == PageRetirementCause::double_bit ? Reading::retired_pages_double_bit
                                                            : Reading::retired_pages_single_bit);
  const unsigned room = addresses == nullptr ? 0 : *count;
  *count = pages;
  if (room < pages) return addresses == nullptr ? Return::success : Return::insufficient_size;
  for (unsigned i = 0; i < pages; ++i) addresses[i] = 0x10000ULL * (i + 1);
  return Return::success;
}

Return nvmlDeviceGetRetiredPagesPendingStatus(Device device, EnableState* pending) {
  const Call call =
      enter(Function::nvmlDeviceGetRetiredPagesPendingStatus, device, pending != nullptr);
  if (!call) return call.result;
  if (!call.spec().retired_pages) return Return::not_supported;
  const bool waits = call.natural(Reading::retired_pages_pending) > 0;
  return call.put_enum(pending, static_cast<EnableState>(waits ? 1 : 0));
}

Return nvmlDeviceGetRepairStatus(Device device, RepairStatus* status) {
  const Call call = enter(Function::nvmlDeviceGetRepairStatus, device, status != nullptr);
  if (!call) return call.result;
  if (status->version != kRepairStatusV1) return Return::argument_version_mismatch;
  if (call.spec().architecture < architecture::kAmpere) return Return::not_supported;
  call.put(&status->channel_repair_pending, call.value(Reading::repair_channel_pending));
  return call.put(&status->tpc_repair_pending, call.value(Reading::repair_tpc_pending));
}

Return nvmlDeviceGetUnrepairableMemoryFlag_v1(Device device, UnrepairableMemoryStatus* status) {
  const Call call =
      enter(Function::nvmlDeviceGetUnrepairableMemoryFlag_v1, device, status != nullptr);
  if (!call) return call.result;
  if (call.spec().architecture < architecture::kHopper) return Return::not_supported;
  return call.put(&status->unrepairable_memory, call.value(Reading::unrepairable_memory));
}

}  // namespace warpsight::nvml::abi
