// Child processes: no shell, only the chosen descriptors, dead when the agent is.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "platform/fd.h"

namespace warpsight {

struct ChildSpec {
  // argv[0] is the program's path; without a slash it is looked up in PATH.
  std::vector<std::string> argv;

  struct PassedFd {
    int parent;  // stays open in the parent
    int child;   // its number in the child
  };
  // 0 and 1 are /dev/null and 2 is the parent's unless passed. Nothing else is inherited.
  std::vector<PassedFd> fds = {};

  // "NAME=value" put over the inherited environment, or all there is when that is not inherited.
  // What systemd means for the agent alone (NOTIFY_SOCKET, WATCHDOG_*) is never inherited.
  std::vector<std::string> environment = {};
  bool inherit_environment = true;
};

struct ExitStatus {
  int code = 0;    // exit code, when signal is 0
  int signal = 0;  // the signal that ended it, or 0
  bool success() const { return code == 0 && signal == 0; }
  std::string describe() const;  // "exited with 3", "killed by signal 9 (Killed)"
};

// A running child in a process group of its own. It dies (SIGKILL) with the *thread* that spawned
// it, so spawn from one that lives as long as the child should. Destruction kills the group and
// reaps; a child that the kernel will not let die is left to reap_abandoned_children().
class Child {
 public:
  static Result<Child> spawn(const ChildSpec& spec);

  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // Whether there is a child that has not been reaped.
  bool running() const { return pid_ > 0; }
  // 0 when none is running.
  pid_t pid() const { return pid_; }
  // Becomes readable when the child ends; -1 when none is running.
  int exit_fd() const { return pidfd_.get(); }

  // Reaps the child if it has ended, without waiting. The status stays available afterwards.
  std::optional<ExitStatus> poll();
  // The same, waiting as long as `timeout`.
  std::optional<ExitStatus> wait(Duration timeout);
  // To the whole group. Does not wait.
  void kill(int signal = SIGKILL);
  // SIGTERM, `grace`, SIGKILL, and as long again for the kernel to obey.
  std::optional<ExitStatus> stop(Duration grace);

 private:
  void abandon();

  pid_t pid_ = 0;
  Fd pidfd_;
  std::optional<ExitStatus> status_;
};

// Collects killed children that were stuck in the kernel when their Child was destroyed. Returns
// how many still are.
std::size_t reap_abandoned_children();

}  // namespace warpsight
