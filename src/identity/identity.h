// Whose each device is: joins what the sources know of owners with the devices and processes that
// the registry holds, puts the owner on the device's series, keeps the owners' own series, and
// tells of changes and of those who are where they should not be.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/registry.h"
#include "identity/accounts.h"
#include "identity/join.h"
#include "identity/owner_name.h"
#include "identity/owners_report.h"

namespace warpsight {

// Where the owner of a device stands.
enum class OwnerLabels : uint8_t {
  gauges,  // on gpu.owner* and on gauges of a device that has exactly one owner
  all,     // on its counters, too
  info,    // on gpu.owner* alone
};

struct IdentityOptions {
  OwnerLabels labels = OwnerLabels::gauges;
  // Attributes of an owner, the first of which that it has is its tenant.
  std::vector<std::string> tenant = {};
};

// "gauges", "all" or "info"; anything else is gauges.
OwnerLabels owner_labels(std::string_view name);

class Identity final : public Analysis {
 public:
  Identity(EntityTable& entities, IdentityOptions options)
      : entities_(entities), options_(std::move(options)) {}

  void settle(const View& view, Batch& out) override;
  void run(const View& view, Batch& out) override;

  // From the next publish on. Under the registry's lock, as are the others.
  void configure(IdentityOptions options);

  identity::OwnersReport report(const View& view) const;

  // How often everything was joined anew: not while nothing changes.
  uint64_t joins() const { return joins_; }

 private:
  struct State {
    uint64_t ownership = UINT64_MAX, gpus = 0, migs = 0, processes = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  // The entity below a device that stands for its owner.
  struct OwnerEntity {
    EntityId device;
    std::string key;  // of the owner
    EntityId entity = {};
    EntityId info = {};                 // below it, with the evidence
    std::vector<Attribute> attributes;  // of `entity`
    std::string name;                   // for people
    OwnerKind kind = OwnerKind::process;
    bool ended = false;  // it stays until its account is closed
  };
  struct Stray {
    Time since;
    bool told = false;
    bool seen = true;
  };

  State state_of(const View& view) const;
  void join_anew(const View& view, Batch& out);
  std::vector<Attribute> attributes_of(const identity::KnownOwner& owner) const;
  Worn worn_of(const identity::KnownOwner& owner, const std::string& evidence) const;
  void name_owners(const View& view, Batch& out);
  // Whether the owner of that entity has the device still, if under another name.
  bool still_owns(const OwnerEntity& owner) const;
  void dress(Batch& out) const;
  void tell_strays(const View& view, Batch& out);
  void tell_owners(const View& view, Batch& out);
  void tell_ended(const View& view, Batch& out);
  void tell_account(const View& view, const identity::Device& device, EntityId owner,
                    const identity::Account& account, Batch& out) const;
  void tell_device(const View& view, size_t place, const identity::ProcessShares& shares,
                   Batch& out);
  void tell_change(const View& view, const OwnerEntity& owner, std::string_view what, Batch& out);
  identity::DeviceOwner report_of(const View& view, const identity::Tenure& tenure,
                                  const identity::ProcessShares& shares) const;

  EntityTable& entities_;
  IdentityOptions options_;
  State state_;
  identity::Joined joined_;
  identity::Accounts accounts_;
  std::unordered_map<std::string, OwnerEntity> owners_;  // by device and key of the owner
  std::unordered_map<std::string, Stray> strays_;        // likewise
  Time published_{};
  size_t changes_told_ = 0;  // since the last publish
  uint64_t joins_ = 0;
};

}  // namespace warpsight
