// Power, its limit, energy, performance state and fans.
#pragma once

#include "sources/nvml/pass.h"
#include "sources/nvml/samples.h"

namespace warpsight::nvml {

class Power {
 public:
  explicit Power(EntityId gpu);

  void drain(Pass& pass) { buffer_.drain(pass); }
  // Limit and state; the draw itself only where the driver has no buffer of it. After drain().
  void poll(Pass& pass);

 private:
  SampleBuffer buffer_;
  Reading draw_;
  Reading limit_;
  Reading state_;
};

class Energy {
 public:
  explicit Energy(EntityId gpu) : total_{{Metric::gpu_energy_consumption, gpu}} {}
  void read(Pass& pass);

 private:
  Reading total_;
};

// The highest share among the card's fans.
class Fans {
 public:
  explicit Fans(EntityId gpu) : speed_{{Metric::gpu_fan_speed, gpu}} {}
  void read(Pass& pass);

 private:
  Reading count_;
  Reading speed_;
};

}  // namespace warpsight::nvml
