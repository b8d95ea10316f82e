// For tests: a machine with processes, as /proc shows them, some of them on a GPU.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/entity.h"
#include "sources/sysfs/fake_root.h"

namespace warpsight::processes::testing {

inline constexpr std::string_view kId =
    "5454e3f59ef45348f66ce15b47d8db6706fd5e7565d3de64a0fc6713a2a0bc5b";
inline constexpr std::string_view kUid = "aec1fa29-9635-4dcc-9472-6fda7692c0cc";
inline const std::string kPodCgroup = fmt::format("0::/kubepods/burstable/pod{}/{}\n", kUid, kId);

struct FakeProcess {
  std::string cgroup = "0::/user.slice/user-1000.slice/session-1.scope\n";
  std::string environment = {};  // entries end with '\0'
  std::string name = "python3";
  unsigned uid = 1000;
  unsigned start = 500;
};

class Machine {
 public:
  Machine() {
    root_.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n");
    root_.link("/proc/self/ns/pid", "pid:[4026531836]");
  }

  std::string path() const { return root_.path(); }
  const warpsight::testing::FakeRoot& root() const { return root_; }

  void run(int pid, const FakeProcess& process = {}) const {
    const std::string folder = fmt::format("/proc/{}/", pid);
    root_.write(folder + "stat",
                fmt::format("{} ({}) S 1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 {} 1 1\n", pid,
                            process.name, process.start));
    root_.write(folder + "status",
                fmt::format("Name:\tx\nUid:\t7\t{0}\t{0}\t{0}\nNSpid:\t{1}\n", process.uid, pid));
    root_.write(folder + "cgroup", process.cgroup);
    root_.write(folder + "environ", process.environment);
  }
  void end(int pid) const { root_.remove(fmt::format("/proc/{}", pid)); }

  // The driver lists it on a GPU, or no longer does.
  void enter_gpu(int pid, int gpu = 0) {
    const EntityId parent =
        entities.intern(EntityKind::gpu, kNoEntity, {{"gpu.index", std::to_string(gpu)}});
    on_gpu_[{pid, gpu}] =
        entities.intern(EntityKind::process, parent, {{"process.pid", std::to_string(pid)}});
  }
  void leave_gpu(int pid, int gpu = 0) {
    entities.remove(on_gpu_.at({pid, gpu}), [](EntityId) {});
  }

  ManualClock clock;
  EntityTable entities;

 private:
  warpsight::testing::FakeRoot root_;
  std::map<std::pair<int, int>, EntityId> on_gpu_;
};

}  // namespace warpsight::processes::testing
