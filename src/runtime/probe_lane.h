// The lane of a source whose vendor library runs in a child process.
//
// A child that misses its deadline is an observation: it is killed and replaced at once, and the
// device it hung on is quarantined: the replacement leaves it alone, and a child of its own tries
// it again from time to time. So the other devices miss a run or two, and the agent none.
#pragma once

#include <poll.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/fd.h"
#include "runtime/backoff.h"
#include "runtime/lane.h"
#include "runtime/probe_channel.h"

namespace warpsight {

struct ProbeSettings {
  std::string source;
  std::string vendor;  // value of gpu.vendor
  Duration period;
  Duration deadline;        // for a run
  Duration start_deadline;  // for a child's first run, which loads the library
  probe::Launch launch;     // skip and only lists are filled in here
  Duration retry_step = std::chrono::seconds{2};
  Duration retry_longest = std::chrono::minutes{5};
};

class ProbeLane final : public Lane {
 public:
  ProbeLane(ProbeSettings settings, Registry& registry, const Clock& clock);
  ~ProbeLane() override;

 private:
  struct Quarantined {
    std::string call;  // it hung in
    Backoff backoff;
    SteadyTime retry_at{};
    std::unique_ptr<probe::Channel> channel;  // while it is being tried
  };

  void loop() override;
  void wake() override;

  void open_main(SteadyTime now);
  void open_retries(SteadyTime now);
  void ask(SteadyTime now);
  void wait_for_something(SteadyTime now);
  SteadyTime next_moment(SteadyTime now) const;

  void receive_main(SteadyTime now);
  void receive_retry(const std::string& device, Quarantined& state, SteadyTime now);
  void check_deadlines(SteadyTime now);

  void main_lost(SteadyTime now, std::string_view kind, const std::string& why);
  void retry_lost(const std::string& device, Quarantined& state, SteadyTime now);
  void quarantine(const std::string& device, const std::string& call, SteadyTime now);
  void release(std::string device);  // by value: ends the entry that holds it
  void bury(std::unique_ptr<probe::Channel> channel);
  void reap();
  void tell_children();
  void drop_orphans();

  void apply();
  void report_responsive();
  EntityId device_entity(std::string_view address) const;
  void event(std::string_view kind, Severity severity, std::string_view device, std::string message,
             std::vector<Attribute> attributes);

  ProbeSettings settings_;
  EntityTable& entities_;
  EntityId vendor_;  // gpu.vendor alone: what is said of the driver as a whole
  Fd wake_read_;
  Fd wake_write_;

  std::unique_ptr<probe::Channel> main_;
  SteadyTime reopen_at_{};
  Backoff restart_;
  SteadyTime due_{};
  bool driver_hung_ = false;  // in a call for no device in particular
  std::string last_crash_device_;
  std::map<std::string, Quarantined, std::less<>> quarantined_;
  std::vector<Child> dying_;       // killed, not yet let go by the kernel
  std::vector<EntityId> orphans_;  // known to a child that is gone, not yet to its successor
  uint64_t restarts_ = 0;
  Batch batch_;
  std::vector<pollfd> poll_;
  std::vector<int> pids_;
};

}  // namespace warpsight
