// Who used how much of each device: busy seconds and joules, from 0 at the moment an owner came.
// What the owners of a device are charged with and what is left over sum to what the device's own
// meters say.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/registry.h"
#include "identity/join.h"

namespace warpsight::identity {

// The series whose integral is the seconds in which the device worked, as far as it says: a GPU's
// by the driver's own samples, a MIG instance's by its activity counters. nullptr when it does not.
const Series* busy_meter(const View& view, const Device& device);

struct Account {
  Time since{};
  double busy = 0;         // seconds
  double energy = 0;       // joules
  double busy_before = 0;  // as of the publish before
};

class Accounts {
 public:
  // Charges what was used since the last call to those who are in `joined`. A device with one owner
  // is all theirs. Of a shared one each has the part that the driver's samples of its processes
  // give it, and the rest is nobody's.
  void charge(const View& view, const Joined& joined);

  // Opens accounts for tenures that are new and closes those of tenures that ended. An owner that
  // is now known by a better name keeps its account.
  void reopen(const Joined& joined, Time now);

  // nullptr for a tenure that is not in the last reopen().
  const Account* of(const Joined& joined, const Tenure& tenure) const;
  // What nobody is charged with; nullptr before the first charge.
  const Account* unattributed(EntityId device) const;

  // The part of what the device did since the publish before that the account was charged with.
  double share(EntityId device, const Account& account) const;

  // Call after each publish was told.
  void close_interval();

 private:
  // Last reading of something that only grows.
  struct Meter {
    bool known = false;
    double value = 0;
    // By how much it grew; 0 at first and when it began anew.
    double advance(double now);
  };
  struct Entry {
    std::string key;
    Account account;
  };
  struct Ledger {
    Meter busy{true, 0};  // an integral: it began with the agent
    Meter energy;
    Account unattributed;
    double gained = 0;  // busy seconds since the publish before
    std::vector<Entry> entries;
  };

  void read_processes(const View& view, const Joined& joined);
  void charge(const Joined& joined, size_t device, Ledger& ledger, double busy, double energy);
  static Account* find(Ledger& ledger, const std::string& key);

  std::unordered_map<uint32_t, Ledger> ledgers_;   // by device
  std::unordered_map<uint32_t, Meter> processes_;  // by process: seconds it kept the device busy
  std::vector<double> used_;                       // by place in Joined::uses, since last time
};

}  // namespace warpsight::identity
