// How long to wait for a peer: until a deadline, or until somebody says stop.
#pragma once

#include <string_view>
#include <utility>

#include "core/clock.h"
#include "net/transport_failure.h"
#include "platform/fd.h"

namespace warpsight {

// A flag that a poll() can wait for. Set once, for ever.
class Interruption {
 public:
  // An error where the system has no descriptors left.
  static TransportResult<Interruption> make();

  // From any thread.
  void trigger() const;
  bool triggered() const;
  int fd() const { return event_.get(); }

 private:
  explicit Interruption(Fd event) : event_(std::move(event)) {}
  Fd event_;
};

struct Patience {
  SteadyTime deadline;
  Duration whole;  // the time allowed at first, for messages
  const Interruption& interruption;

  static Patience lasting(Duration timeout, const Interruption& interruption);

  Duration left() const;

  // A failure where it has run out or was interrupted. `doing` begins the message: "connecting to
  // 10.0.0.1:4317" took longer than 10s.
  TransportResult<> check(std::string_view doing) const;

  // Waits until `fd` has one of `events` (of poll), or an error; then as check().
  TransportResult<> wait(int fd, short events, std::string_view doing) const;
};

}  // namespace warpsight
