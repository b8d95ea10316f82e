#include "sources/kubernetes/kubelet_devices.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace warpsight::kubernetes {

KubeletDevices::KubeletDevices(PodResourcesClient client, const Clock& clock, Duration poll)
    : client_(std::move(client)), clock_(clock), poll_(poll), backoff_(kLeastPause, poll) {}

KubeletDevices::News KubeletDevices::refresh(bool wanted) {
  wanted_ = wanted_ || wanted;
  const SteadyTime now = clock_.steady();
  if (now < not_before_ || (!wanted_ && now < next_poll_)) return {.changed = forget_old()};
  News news;
  notice_restart();
  news.changed = ask_list();
  news.answered = !failure_;
  if (news.answered) news.changed = ask_allocatable() || news.changed;
  return {.answered = news.answered, .changed = forget_old() || news.changed};
}

// A kubelet that starts makes its socket anew.
void KubeletDevices::notice_restart() {
  if (client_.address().kind != SocketAddress::Kind::unix_path) return;
  struct stat file{};
  if (::stat(client_.address().path.c_str(), &file) != 0) return;
  constexpr int64_t kSecond = 1'000'000'000;
  const SocketFile socket{.device = file.st_dev,
                          .inode = file.st_ino,
                          .changed_ns = file.st_ctim.tv_sec * kSecond + file.st_ctim.tv_nsec};
  restarted_ = restarted_ || socket != socket_;
  socket_ = socket;
}

bool KubeletDevices::ask_list() {
  auto bytes = client_.list();
  if (!bytes) {
    fail_with(std::move(bytes.error()));
    return false;
  }
  const bool same = *bytes == list_bytes_ && last_answer_ != SteadyTime{};
  if (!same) {
    auto pods = decode_pods(*bytes);
    if (!pods) {
      fail_with(std::move(pods.error()));
      return false;
    }
    pods_ = std::move(*pods);
    list_bytes_ = std::move(*bytes);
  }
  const SteadyTime now = clock_.steady();
  restarted_ = restarted_ || failure_.has_value();
  failure_.reset();
  wanted_ = false;
  last_answer_ = now;
  not_before_ = now + kLeastPause;
  next_poll_ = now + poll_;
  return !same;
}

bool KubeletDevices::ask_allocatable() {
  const SteadyTime now = clock_.steady();
  if (restarted_) {
    restarted_ = false;
    settled_ = now + kSettling;
    next_allocatable_ = now;
  }
  if (now < next_allocatable_) return false;
  next_allocatable_ = now + (now < settled_ ? poll_ : kAllocatablePeriod);
  const auto bytes = client_.allocatable();
  auto devices = bytes ? decode_allocatable(*bytes) : tl::unexpected(bytes.error());
  if (!devices) {
    allocatable_answer_ = describe(devices.error());
    return false;
  }
  allocatable_answer_ = fmt::format("{} resources", devices->size());
  if (*devices == allocatable_) return false;
  allocatable_ = std::move(*devices);
  return true;
}

void KubeletDevices::fail_with(Error error) {
  const SteadyTime now = clock_.steady();
  failure_ = std::move(error);
  not_before_ = now + std::max(kLeastPause, backoff_.failed(now));
  next_poll_ = not_before_;
}

bool KubeletDevices::forget_old() {
  if (!failure_ || clock_.steady() - last_answer_ < kBelieved) return false;
  const bool any = !pods_.empty() || !allocatable_.empty();
  pods_.clear();
  allocatable_.clear();
  list_bytes_.clear();
  last_answer_ = {};
  return any;
}

std::vector<Lookup> KubeletDevices::lookups() const {
  const std::string address = to_string(client_.address());
  return {{"kubelet pod-resources List at " + address,
           failure_ ? describe(*failure_) : fmt::format("{} pods", pods_.size())},
          {"kubelet pod-resources GetAllocatableResources at " + address, allocatable_answer_}};
}

}  // namespace warpsight::kubernetes
