// The PCIe link: speed, width, bytes, retransmissions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class Pcie {
 public:
  explicit Pcie(EntityId gpu);

  void read(Pass& pass);
  // What the link could do at best.
  void read_limits(Pass& pass);

 private:
  Reading generation_;
  Reading width_;
  Reading replays_;
  Reading max_generation_;
  Reading max_width_;
};

// Mean rates of a link, in bytes a second.
struct LinkRates {
  double transmit;
  double receive;
};

// Bytes through the link. The driver counts them in 32 bits, which wrap several times a second on
// a busy link; the rate that GPM saw meanwhile tells how often they did.
class PcieBytes {
 public:
  PcieBytes(EntityTable& entities, EntityId gpu);

  // `rates` are those since the last run; none yet in the first.
  void read(Pass& pass, const std::optional<LinkRates>& rates);
  // There are no rates to be had: absent, as a count that misses wraps would be wrong.
  void cannot_tell_wraps(Pass& pass);

 private:
  struct Count {
    uint32_t last = 0;
    double total = 0;
  };

  FieldGroup fields_;
  std::array<Count, 2> counts_{};  // transmit, receive
  std::optional<SteadyTime> last_;
};

// How far a 32-bit counter went from `before` to `now` when about `expected` is known.
double unwrapped_growth(uint32_t before, uint32_t now, double expected);

}  // namespace warpsight::nvml
