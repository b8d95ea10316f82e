// Values that follow from others of the same interval: peaks and floors, busy seconds, shares of
// a limit, the node's mean. They need no driver call and are right by construction.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/registry.h"

namespace warpsight {

class Derived final : public Analysis {
 public:
  explicit Derived(EntityTable& entities);
  void run(const View& view, Batch& out) override;

 private:
  // The two meters of one GPU since they were first compared.
  struct Energy {
    double counter_start = 0;
    double integral_start = 0;
    Time start{};
    Time counter_time{};
    double integral_at_counter = 0;
    std::optional<double> deviation;  // the last one known
    bool told = false;                // that they part
  };

  void extremes(const View& view, Batch& out) const;
  void shares(const View& view, Batch& out) const;
  void node(const View& view, Batch& out) const;
  void links(const View& view, Batch& out) const;
  void energy(const View& view, Batch& out);
  static void compare(const Series& counter, const Series& power, Energy& meter);
  static void tell_parting(const View& view, EntityId gpu, Energy& meter, Batch& out);

  EntityId host_;
  std::unordered_map<uint32_t, Energy> energy_;
};

}  // namespace warpsight
