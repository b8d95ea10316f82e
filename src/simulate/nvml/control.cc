#include "simulate/control.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "simulate/nvml/state.h"

using warpsight::simulate::kFunctionCount;
using warpsight::simulate::kFunctionNames;
using warpsight::simulate::State;
using warpsight::simulate::World;

int warpsightFakeNvml(void) { return 1; }

const char* warpsightFakeNvmlScenario(void) {
  const World* world = State::get().world();
  return world == nullptr ? "" : world->scenario().name.c_str();
}

int warpsightFakeNvmlLoad(const char* text, char* error, unsigned length) {
  const auto loaded = State::get().load_text(text == nullptr ? "" : text);
  if (loaded) return 0;
  if (error != nullptr && length > 0) {
    const std::string message = warpsight::describe(loaded.error());
    error[message.copy(error, length - 1)] = '\0';
  }
  return -1;
}

double warpsightFakeNvmlTime(void) {
  const World* world = State::get().world();
  return world == nullptr ? 0 : world->clock().now();
}

void warpsightFakeNvmlManualClock(double seconds) {
  State& state = State::get();
  if (World* world = state.world()) world->clock().set_manual(seconds);
  state.time_moved();
}

void warpsightFakeNvmlAdvance(double seconds) {
  State& state = State::get();
  if (World* world = state.world()) world->clock().advance(seconds);
  state.time_moved();
}

unsigned long long warpsightFakeNvmlCalls(const char* function) {
  const State& state = State::get();
  unsigned long long sum = 0;
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    if (function == nullptr || kFunctionNames[i] == function) sum += state.calls(i);
  }
  return sum;
}

void warpsightFakeNvmlResetCalls(void) { State::get().reset_calls(); }

void warpsightFakeNvmlReleaseHangs(void) { State::get().release_hangs(); }
