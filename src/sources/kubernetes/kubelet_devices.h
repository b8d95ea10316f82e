// The kubelet's word on who has which devices: asked as seldom as may be, and kept for a while when
// the kubelet does not answer.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/ownership.h"
#include "core/result.h"
#include "runtime/backoff.h"
#include "sources/kubernetes/pod_resources/answers.h"
#include "sources/kubernetes/pod_resources/client.h"

namespace warpsight::kubernetes {

class KubeletDevices {
 public:
  // Lets some jitter of a run a second pass.
  static constexpr Duration kLeastPause = std::chrono::milliseconds{900};
  // How long the last answer is believed when no other comes.
  static constexpr Duration kBelieved = std::chrono::minutes{5};
  // Allocatable devices are asked for this often, and with every poll in the first minute of a
  // kubelet: device plugins register some time after it began.
  static constexpr Duration kAllocatablePeriod = std::chrono::minutes{5};
  static constexpr Duration kSettling = std::chrono::minutes{1};

  KubeletDevices(PodResourcesClient client, const Clock& clock, Duration poll);

  struct News {
    bool answered = false;  // the kubelet listed its pods, be it as before
    bool changed = false;   // something below is not as it was
  };
  // Asks when `poll` has passed since the last answer, or at once when it is `wanted`; never twice
  // a second, and at growing intervals while the kubelet fails.
  News refresh(bool wanted);

  const std::vector<PodGrants>& pods() const { return pods_; }
  const std::vector<GrantedDevices>& allocatable() const { return allocatable_; }

  // Why the last question was not answered; nothing when it was.
  const std::optional<Error>& failure() const { return failure_; }
  std::vector<Lookup> lookups() const;

 private:
  struct SocketFile {
    dev_t device = 0;
    ino_t inode = 0;
    int64_t changed_ns = 0;
    friend bool operator==(const SocketFile&, const SocketFile&) = default;
  };

  // Whether the list is not as it was; an error is kept as `failure_`.
  bool ask_list();
  bool ask_allocatable();
  void fail_with(Error error);
  void notice_restart();
  bool forget_old();

  PodResourcesClient client_;
  const Clock& clock_;
  const Duration poll_;

  std::string list_bytes_;  // of the last answer that was understood
  std::vector<PodGrants> pods_;
  std::vector<GrantedDevices> allocatable_;
  std::optional<Error> failure_;
  std::string allocatable_answer_ = "not asked yet";

  bool wanted_ = false;
  bool restarted_ = true;
  SocketFile socket_;
  Backoff backoff_;
  SteadyTime not_before_{};
  SteadyTime next_poll_{};
  SteadyTime last_answer_{};
  SteadyTime settled_{};
  SteadyTime next_allocatable_{};
};

}  // namespace warpsight::kubernetes
