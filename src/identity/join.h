// Puts together what all sources say of owners: who holds each device, who uses it, and how that is
// known. Nothing is inferred: what no source said is not there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ownership.h"
#include "identity/devices.h"

namespace warpsight::identity {

// One owner as all sources together know it.
struct KnownOwner {
  OwnerKind kind = OwnerKind::process;
  std::string key;
  std::vector<Attribute> attributes;
  bool told = false;  // by another than a process of it: by who gives devices out

  std::string_view attribute(std::string_view attribute_key) const;
};

// A process on a device.
struct Use {
  EntityId process;
  size_t device = 0;
  std::string pid;
  std::optional<size_t> owner;        // nullopt: nobody could tell
  std::string evidence;               // of that
  std::vector<Attribute> attributes;  // of the process alone
};

// That somebody owns a device: it was given to them, or they use it.
struct Tenure {
  size_t device = 0;
  size_t owner = 0;
  std::vector<std::string> held_by;  // evidence that it was given; empty: it was not
  std::vector<std::string> used_by;  // evidence that it is used
  std::vector<size_t> uses;          // places in Joined::uses

  bool held() const { return !held_by.empty(); }
  // The best there is.
  const std::string& evidence() const { return held() ? held_by.front() : used_by.front(); }
};

struct Report {
  std::string_view source;
  const Ownership* ownership;
};

struct Joined {
  Devices devices;
  std::vector<KnownOwner> owners;
  std::vector<Tenure> tenures;  // by device, in the order of owners
  std::vector<Use> uses;
  // By device: who else than those whose it is should not be on it.
  std::vector<bool> managed_for_pods;
  std::vector<bool> managed_for_jobs;
  std::unordered_map<std::string, size_t> by_key;  // aliases too

  std::span<const Tenure> tenures_of(size_t device) const;
  bool has_unknown_uses(size_t device) const;
  // The one owner of a device; nullptr when there is none, there are several, or when somebody
  // unknown uses a device that was given to nobody.
  const Tenure* sole(size_t device) const;
};

// The same as long as this owner has this device.
std::string place_of(const Joined& joined, const Tenure& tenure);

// `reports` in order of trust: what an earlier one says of an owner stands.
Joined join(const EntityTable& entities, std::span<const Report> reports);

}  // namespace warpsight::identity
