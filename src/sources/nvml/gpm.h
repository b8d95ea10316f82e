// GPU performance monitoring (Hopper and later): what the SMs, pipes, memory and links did between
// two samples of the hardware's counters.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sources/nvml/pass.h"
#include "sources/nvml/pcie.h"

namespace warpsight::nvml {

class Gpm {
 public:
  // Of a GPU, or of the MIG instance `gpu_instance` of the GPU whose pass it is.
  Gpm(const Library& library, EntityTable& entities, EntityId owner,
      std::optional<unsigned> gpu_instance = std::nullopt);
  Gpm(const Gpm&) = delete;
  Gpm& operator=(const Gpm&) = delete;
  ~Gpm();

  // Takes a sample and, with the one before it, gives the activity between. The first run only
  // takes one, and so does nothing less than 100 ms after the last.
  void read(Pass& pass, bool has_links);

  // False once the driver said that this GPU has no GPM.
  bool possible() const { return sampling_.wanted(); }
  // PCIe's rates as the last read() found them, if it did.
  const std::optional<LinkRates>& pcie_rates() const { return pcie_rates_; }

 private:
  struct Item {
    unsigned id;
    double scale;
    bool of_links;
    Reading reading;
  };

  bool supported(Pass& pass);
  bool take_sample(Pass& pass);
  void compare(Pass& pass, bool has_links);

  const Library* library_;
  std::optional<unsigned> gpu_instance_;
  std::vector<Item> items_;
  Reading sampling_;
  bool checked_ = false;
  std::array<abi::GpmSample, 2> samples_{};
  size_t current_ = 0;
  std::optional<SteadyTime> last_;
  std::optional<LinkRates> pcie_rates_;
};

}  // namespace warpsight::nvml
