// How often this thread took memory from the heap, for tests of paths that must not.
#pragma once

#include <cstdint>

namespace warpsight::test {

uint64_t allocations();

}  // namespace warpsight::test
