#include "core/batch.h"

namespace warpsight {

std::string_view to_string(Absence absence) {
  return absence == Absence::unsupported ? "unsupported" : "failed";
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info: return "info";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "info";
}

}  // namespace warpsight
