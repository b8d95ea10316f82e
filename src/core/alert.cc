#include "core/alert.h"

namespace warpsight {

std::string_view to_string(AlertState state) {
  switch (state) {
    case AlertState::pending: return "pending";
    case AlertState::firing: return "firing";
    case AlertState::resolved: return "resolved";
  }
  return "";
}

}  // namespace warpsight
