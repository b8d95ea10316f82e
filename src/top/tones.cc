#include "top/tables.h"

namespace warpsight::top {

Tone utilization_tone(std::optional<double> share) {
  if (!share) return Tone::dim;
  return *share < 0.1 ? Tone::dim : Tone::good;
}

Tone memory_tone(std::optional<double> share) {
  if (!share) return Tone::dim;
  if (*share > 0.9) return Tone::bad;
  return *share > 0.8 ? Tone::warn : Tone::good;
}

Tone temperature_tone(std::optional<double> degrees) {
  if (!degrees) return Tone::dim;
  if (*degrees > 85) return Tone::bad;
  return *degrees > 75 ? Tone::warn : Tone::plain;
}

Tone severity_tone(std::string_view severity) {
  if (severity == "critical" || severity == "error" || severity == "fatal") return Tone::bad;
  if (severity == "warning" || severity == "warn") return Tone::warn;
  return Tone::plain;
}

}  // namespace warpsight::top
