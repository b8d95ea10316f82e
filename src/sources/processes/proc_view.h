// How much of the machine's processes this agent can see.
#pragma once

#include <string>

namespace warpsight::processes {

struct ProcView {
  // The numbers of processes here are those of the machine. Elsewhere the driver may speak of
  // other processes than /proc does.
  bool host_pids = false;
  std::string hidepid;  // as the mount says, "2" or "invisible"; empty: nobody is hidden
  bool ptrace = false;  // CAP_SYS_PTRACE: environments of other users' processes may be read
};

ProcView look_at_proc(const std::string& root);

}  // namespace warpsight::processes
