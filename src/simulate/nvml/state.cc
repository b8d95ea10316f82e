#include "simulate/nvml/state.h"

#include <malloc.h>
#include <pthread.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "simulate/nvml/session.h"
#include "simulate/text.h"

namespace warpsight::simulate {
namespace {

constexpr const char* kScenarioVariable = "WARPSIGHT_SCENARIO";
// Unix time at which the scenario began, so that a probe that is started anew goes on in it.
constexpr const char* kStartVariable = "WARPSIGHT_SCENARIO_START";
constexpr const char* kDefaultScenario = "8xh100";

// Read at initialisation, when nothing else of this library runs.
const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
}

std::chrono::system_clock::time_point in(double seconds) {
  constexpr double kLongest = 1e8;
  return std::chrono::system_clock::now() +
         std::chrono::microseconds(std::llround(std::min(seconds, kLongest) * 1e6));
}

}  // namespace

State& State::get() {
  // Never destroyed: calls may come from threads that outlive static destructors.
  static State* const kState = new State;
  return *kState;
}

State::State() {
  pthread_atfork(nullptr, nullptr, [] { State::get().forget_users(); });
}

void State::reset_calls() {
  for (auto& calls : calls_) calls.store(0, std::memory_order_relaxed);
}

void State::play(Scenario scenario) {
  const char* text = environment(kStartVariable);
  const auto start = text == nullptr ? std::nullopt : parse_number(text);
  worlds_.push_back(std::make_unique<World>(std::move(scenario), start ? &*start : nullptr));
  world_.store(worlds_.back().get(), std::memory_order_release);
  // Parsing took far more than what is kept.
  malloc_trim(0);
}

bool State::load_from_environment() {
  const std::scoped_lock lock(mutex_);
  if (from_text_) return true;
  const char* chosen = environment(kScenarioVariable);
  std::string name = chosen == nullptr || *chosen == '\0' ? kDefaultScenario : chosen;
  if (world() != nullptr && name == environment_) return true;
  auto scenario = load_scenario(name);
  if (!scenario) {
    std::fprintf(stderr, "simulated driver: %s\n", describe(scenario.error()).c_str());
    return false;
  }
  environment_ = std::move(name);
  play(std::move(*scenario));
  return true;
}

Result<> State::load_text(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  from_text_ = !text.empty();
  environment_.clear();
  if (text.empty()) {
    world_.store(nullptr, std::memory_order_release);
    return {};
  }
  auto scenario = parse_scenario(text, "scenario");
  if (!scenario) return tl::unexpected(scenario.error());
  if (scenario->name.empty()) scenario->name = "scenario";
  play(std::move(*scenario));
  session_start_.store(world()->clock().now(), std::memory_order_relaxed);
  return {};
}

void State::add_user() {
  if (users_.fetch_add(1, std::memory_order_relaxed) == 0) {
    session_start_.store(world()->clock().now(), std::memory_order_relaxed);
  }
}

bool State::drop_user() {
  int users = users_.load(std::memory_order_relaxed);
  while (users > 0) {
    if (users_.compare_exchange_weak(users, users - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void State::hang() {
  std::unique_lock lock(mutex_);
  const std::uint64_t seen = releases_;
  released_.wait(lock, [&] { return releases_ != seen; });
}

void State::release_hangs() {
  const std::scoped_lock lock(mutex_);
  ++releases_;
  released_.notify_all();
}

void State::sleep(Seconds real_seconds) {
  timespec left{static_cast<time_t>(real_seconds),
                static_cast<long>(std::fmod(real_seconds, 1) * 1e9)};
  while (nanosleep(&left, &left) != 0) {
  }
}

void State::time_moved() {
  const std::scoped_lock lock(mutex_);
  ++moves_;
  moved_.notify_all();
}

std::uint64_t State::moves() {
  const std::scoped_lock lock(mutex_);
  return moves_;
}

void State::wait(std::uint64_t seen, double real_seconds) {
  std::unique_lock lock(mutex_);
  moved_.wait_until(lock, in(real_seconds), [&] { return moves_ != seen; });
}

nvml::abi::Return initialise(Function function) {
  using nvml::abi::Return;
  State& state = State::get();
  Return result = state.load_from_environment() ? Return::success : Return::unknown;
  if (result == Return::success) {
    const Seconds t = state.world()->clock().now();
    const bool up = state.world()->driver_state(t, t) != DriverState::unloaded;
    if (!up) result = Return::driver_not_loaded;
  }
  if (result != Return::success) {
    state.count(function);
    return result;
  }
  state.add_user();
  const Call call = enter_library(function, true);
  if (!call) state.drop_user();
  return call.result;
}

nvml::abi::Return shut_down() {
  State& state = State::get();
  state.count(Function::nvmlShutdown);
  return state.drop_user() ? nvml::abi::Return::success : nvml::abi::Return::uninitialized;
}

}  // namespace warpsight::simulate
