// The readings that a recording keeps, each under the name that scenarios give it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sources/nvml/library.h"

namespace warpsight::nvml {

struct RecordedReading {
  std::string_view name;
  std::string_view call;  // what the driver is asked by; "field:N" for a field value
  bool counts;            // only ever grows: its record must not be played in a circle
  double scale;           // from the driver's unit to the scenario's
  // Success, or why there is no value.
  abi::Return (*read)(const Library& lib, abi::Device device, double& value);
};

std::span<const RecordedReading> recorded_readings();

struct RecordedActivity {
  std::string_view name;
  unsigned id;  // of GPM
  double scale;
};

std::span<const RecordedActivity> recorded_activities();

// One field value as a number.
abi::Return read_field(const Library& lib, abi::Device device, unsigned id, unsigned scope,
                       double& value);

}  // namespace warpsight::nvml
