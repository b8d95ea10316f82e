// snappy in its raw block format, without frames.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace warpsight {

// Replaces `out`, whose memory is kept.
bool snappy_encode(std::string_view body, std::string& out);

// Fails, before anything is allocated, when the block states a size that is above `limit` or that
// its length cannot hold.
Result<std::string> snappy_decode(std::string_view bytes, size_t limit);

}  // namespace warpsight
