// Readings that more than one function reports.
#pragma once

#include <cstdint>

#include "simulate/nvml/session.h"

namespace warpsight::simulate {

// Over the last second, and over the last 20 ms.
double average_milliwatts(const Call& call);
double instant_milliwatts(const Call& call);

// The sum over all memories and errors of that kind.
std::uint64_t ecc_total(const Call& call, bool uncorrected, bool aggregate);
// Of DRAM alone, and of SRAM alone.
std::uint64_t ecc_dram(const Call& call, bool uncorrected, bool aggregate);
std::uint64_t ecc_sram(const Call& call, bool uncorrected, bool aggregate);

// Links of this GPU that are up now; link l is when l is below that.
unsigned links_up(const Call& call);
// Errors of one kind on one link.
std::uint64_t link_errors(const Call& call, nvml::abi::NvLinkErrorCounter kind, unsigned link);
// Whether the link counters have the form before NVLink 5.
bool has_classic_links(const Call& call);

}  // namespace warpsight::simulate
