// How busy the GPU, its memory controller and its video engines are.
#pragma once

#include <array>

#include "sources/nvml/pass.h"
#include "sources/nvml/samples.h"

namespace warpsight::nvml {

class Utilization {
 public:
  explicit Utilization(EntityId entity);

  // What the driver keeps in its buffers.
  void drain(Pass& pass);
  // What it has no buffer for. After drain() in the same run.
  void poll(Pass& pass);
  // In MIG mode the driver knows no utilisation of the whole: absent, not zero.
  void not_in_mig_mode(Pass& pass);

 private:
  enum Engine : size_t { gpu, memory, encoder, decoder, engine_count };

  std::array<SampleBuffer, engine_count> buffers_;
  std::array<Reading, engine_count> getters_;
};

}  // namespace warpsight::nvml
