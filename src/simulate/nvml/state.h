// What the library remembers between calls: the scenario that plays and who initialised it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.h"
#include "simulate/functions.h"
#include "simulate/nvml/world.h"

namespace warpsight::simulate {

class State {
 public:
  static State& get();

  void count(Function function) {
    calls_[index_of(function)].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t calls(std::size_t function) const {
    return calls_[function].load(std::memory_order_relaxed);
  }
  void reset_calls();

  World* world() const { return world_.load(std::memory_order_acquire); }
  bool initialised() const { return users_.load(std::memory_order_relaxed) > 0; }
  Seconds session_start() const { return session_start_.load(std::memory_order_relaxed); }

  // The scenario of the environment, unless one plays already. False: it cannot be played.
  bool load_from_environment();
  // Plays the text, or with an empty one forgets what was played that way.
  Result<> load_text(std::string_view text);
  // One more or one user less; the first one's moment is the session's start.
  void add_user();
  bool drop_user();
  // A forked child has to initialise for itself, as with the driver.
  void forget_users() { users_.store(0, std::memory_order_relaxed); }

  // Blocks until release_hangs().
  void hang();
  void release_hangs();
  static void sleep(Seconds real_seconds);
  // Wakes whoever waits for scenario time.
  void time_moved();
  // How often time_moved() was called; wait() returns at once when that is no longer `seen`.
  std::uint64_t moves();
  void wait(std::uint64_t seen, double real_seconds);

 private:
  State();
  void play(Scenario scenario);

  std::array<std::atomic<std::uint64_t>, kFunctionCount> calls_{};
  std::atomic<World*> world_{nullptr};
  std::atomic<int> users_{0};
  std::atomic<Seconds> session_start_{0};

  std::mutex mutex_;  // of what follows
  std::condition_variable moved_, released_;
  std::uint64_t moves_ = 0, releases_ = 0;
  bool from_text_ = false;
  std::string environment_;  // the name last loaded from there
  // Every world that was played: a call in another thread may still look at an old one.
  std::vector<std::unique_ptr<World>> worlds_;
};

}  // namespace warpsight::simulate
