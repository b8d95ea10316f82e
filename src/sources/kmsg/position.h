// How far the kernel log has been reported, kept over restarts of the agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/result.h"

namespace warpsight::kmsg {

class Position {
 public:
  // `state_dir` empty: nothing is kept. `boot_id` empty: the boot is unknown, hence always new.
  Position(const std::string& state_dir, std::string boot_id);

  // Sequence of the last record reported in this boot by a run before, if there was one.
  std::optional<uint64_t> resumed() const { return resumed_; }

  void advance(uint64_t sequence);

  // Writes what changed, at most every few seconds unless `now` is left out.
  Result<> save(std::optional<SteadyTime> now);

 private:
  std::string path_;
  std::string boot_id_;
  std::optional<uint64_t> resumed_;
  std::optional<uint64_t> sequence_;
  bool dirty_ = false;
  std::optional<SteadyTime> saved_at_;
};

}  // namespace warpsight::kmsg
