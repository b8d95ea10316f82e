// DCGM exporter's families and which of our series they are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/catalogue.h"

namespace warpsight {

enum class DcgmType : uint8_t { gauge, counter };

// One family. Its value for a device is the sum of the series that have all `facets`
// ("key=value;key=value"), times `multiply`, over `divide`. Where the device has a series without
// the attribute `part`, that one is the sum already and stands alone.
struct DcgmRow {
  std::string_view name;
  DcgmType type;
  std::string_view help;
  Metric metric;
  std::string_view facets = {};
  double multiply = 1;
  double divide = 1;
  std::string_view part = {};
};

std::span<const DcgmRow> dcgm_rows();

// The bit of a clock-event cause in DCGM_FI_DEV_CLOCK_THROTTLE_REASONS; 0 for one without.
uint64_t dcgm_throttle_bit(std::string_view cause);

}  // namespace warpsight
