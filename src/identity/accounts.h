// Who used how much of each device: busy seconds and joules, from 0 at the moment an owner came.
//
// Meters are read now and then, and each reading covers the time since the one before. So the past
// of a device is kept in spans of unchanged ownership until its meters have covered them: what a
// meter gained is spread over the spans it covers by time, and within a span it goes to the one
// owner, or to each of several by what the driver's samples say of its processes. What is left is
// nobody's. The parts sum to what the device's own meters gained.
#pragma once

#include <cstdint>
#include <deque>
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
  double busy = 0;    // seconds
  double energy = 0;  // joules
};

class Accounts {
 public:
  // Takes what the meters say now; the span since the last call belongs to those in `joined`.
  void charge(const View& view, const Joined& joined);

  // Opens accounts for tenures that are new. Those of tenures that ended stay until the meters have
  // covered their time. An owner that is now known by a better name keeps its account.
  void reopen(const Joined& joined, Time now);

  // After they were told: closes accounts of tenures that ended and are complete.
  void close(Time now);

  // nullptr when there is none, or none any more.
  const Account* of(EntityId device, const std::string& owner_key) const;
  // What nobody is charged with; nullptr before the first charge.
  const Account* unattributed(EntityId device) const;

 private:
  // Something that only grows, as last read.
  struct Meter {
    Time read{};  // zero: never
    double value = 0;
  };
  // By how much a meter grew, and in what time.
  struct Gain {
    Time from;
    Time to;
    double amount;
  };
  struct Entry {
    uint32_t id;  // of this entry in spans
    std::string key;
    Account account;
    Time ended{};  // zero: it goes on
  };
  // Seconds that an owner's processes kept the device busy.
  struct Part {
    uint32_t entry;
    double seconds = 0;
  };
  struct Span {
    Time from;
    Time to;
    uint32_t sole = 0;             // entry of the one owner; 0: none, or several
    bool used = false;             // by a process: what its samples say is waited for
    std::vector<Part> parts = {};  // of several
    double strangers = 0;          // seconds of processes that nobody knows
    double busy = 0, energy = 0;   // of a shared span, until it is settled
  };
  struct Ledger {
    Meter busy;
    Meter energy;
    Time processes_read{};  // zero: never
    Account unattributed;
    std::vector<Entry> entries;
    std::deque<Span> spans;
  };
  struct Process {
    Meter meter;
    bool seen = true;
  };

  static Gain advance(Meter& meter, const Series& series, double value);
  void charge_device(const View& view, const Joined& joined, size_t place, Ledger& ledger);
  void charge_processes(const View& view, const Joined& joined);
  static Span make_span(const Joined& joined, size_t device, const Ledger& ledger, Time now);
  template <typename Fn>
  static double spread(Ledger& ledger, const Gain& gain, Fn&& give);
  static void settle(Ledger& ledger, const Span& span);
  static void settle_spans(Ledger& ledger, Time now);
  // A meter that was never read is not waited for.
  static bool has_passed(const Meter& meter, Time time);
  static bool is_covered(const Ledger& ledger, Time time);
  static Account* find(Ledger& ledger, uint32_t entry);
  static uint32_t entry_of(const Ledger& ledger, const std::string& key);

  std::unordered_map<uint32_t, Ledger> ledgers_;     // by device
  std::unordered_map<uint32_t, Process> processes_;  // by process: seconds it kept the device busy
  uint32_t last_id_ = 0;
};

}  // namespace warpsight::identity
