// The service manager's side channel (sd_notify protocol), without libsystemd. Every call is a
// no-op when the agent was not started by a manager that listens.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "platform/fd.h"

namespace warpsight {

class Notifier {
 public:
  Notifier() = default;
  // A socket path, or "@name" for an abstract socket, as in NOTIFY_SOCKET.
  explicit Notifier(std::string_view socket_name);
  // By NOTIFY_SOCKET.
  static Notifier from_environment();

  bool enabled() const { return static_cast<bool>(socket_); }

  // Each returns whether the message was handed over.
  bool ready(std::string_view status = {}) const;
  // With the monotonic time that Type=notify-reload needs; ready() ends the reload.
  bool reloading() const;
  bool stopping() const;
  bool status(std::string_view text) const;
  bool watchdog() const;

 private:
  bool send(std::string_view message) const;

  Fd socket_;
  std::string name_;
};

// How often the manager wants to hear watchdog() at the latest, from the values of WATCHDOG_USEC
// and WATCHDOG_PID; nothing when it does not, or means another process. Ping at half of it.
std::optional<Duration> watchdog_interval(std::string_view usec, std::string_view pid, pid_t self);
std::optional<Duration> watchdog_interval_from_environment();

}  // namespace warpsight
