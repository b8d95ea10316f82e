#include "allocation_counter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local uint64_t count = 0;

void* take(std::size_t size) {
  ++count;
  return std::malloc(size > 0 ? size : 1);
}

}  // namespace

namespace warpsight::test {

uint64_t allocations() { return count; }

}  // namespace warpsight::test

void* operator new(std::size_t size) {
  if (void* memory = take(size)) return memory;
  std::abort();
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
