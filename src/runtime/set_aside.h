// Messages a peer will never take, kept for a person to look at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "runtime/spool_record.h"

namespace warpsight {

inline constexpr size_t kSetAsideMessages = 16;
inline constexpr uint64_t kSetAsideBytes = uint64_t{16} << 20;

// Writes the bytes to a file in `directory` and the peer's words to one beside it, and removes the
// oldest beyond the limits. The path of the bytes.
Result<std::string> set_aside(const std::string& directory, const SpoolEntry& entry,
                              std::string_view words, Time now);

}  // namespace warpsight
