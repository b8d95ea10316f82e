// Tells whether something is not as it was.
#pragma once

#include <utility>

namespace warpsight::kubernetes {

// Whether the new value is another one.
template <typename T>
bool replace(T& value, T by) {
  const bool other = value != by;
  value = std::move(by);
  return other;
}

}  // namespace warpsight::kubernetes
