// What is known of one thing the driver may or may not be able to tell about one GPU.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/batch.h"
#include "sources/nvml/abi.h"

namespace warpsight::nvml {

struct Series {
  Metric metric;
  EntityId entity;
};

// What a result means for the one who asked.
enum class Outcome : uint8_t {
  ok,
  unsupported,  // will not change until the driver or the GPU's mode does
  failed,       // may work the next time
  device_lost,  // nothing more can be asked of this GPU
  driver_gone,  // nothing more can be asked of any
};

Outcome classify(abi::Return result);

// One question to the driver and the series that its answer feeds. Absence is told once, for
// every series, when it begins.
class Reading {
 public:
  static constexpr size_t kMaxSeries = 5;

  // Of no series: one of several ways to the same value, whose failure alone concerns nobody.
  Reading() = default;
  Reading(std::initializer_list<Series> series);

  // False once the driver said that it does not have it.
  bool wanted() const { return state_ != State::unsupported; }
  bool worked() const { return state_ == State::ok; }
  const Series& operator[](size_t index) const { return series_[index]; }

  void succeeded() { state_ = State::ok; }
  void absent(Absence why, std::string_view detail, Batch& out);

 private:
  enum class State : uint8_t { untried, ok, failed, unsupported };

  std::array<Series, kMaxSeries> series_{};
  uint8_t count_ = 0;
  State state_ = State::untried;
};

}  // namespace warpsight::nvml
