// A client that is made when first needed, and can be interrupted from another thread before,
// during and after.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "net/transport_failure.h"

namespace warpsight::otlp {

template <typename Client>
class LazyClient {
 public:
  using Make = std::function<TransportResult<std::unique_ptr<Client>>()>;

  explicit LazyClient(Make make) : make_(std::move(make)) {}

  // A failure to make it is told, and the next call tries again.
  TransportResult<Client*> get() {
    if (client_ != nullptr) return client_.get();
    auto made = make_();
    if (!made) return tl::unexpected(std::move(made.error()));
    const std::lock_guard lock(mutex_);
    client_ = std::move(*made);
    if (interrupted_) client_->interrupt();
    return client_.get();
  }

  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    if (client_ != nullptr) client_->interrupt();
  }

 private:
  const Make make_;
  std::mutex mutex_;  // for writing client_, and for reading it on another thread
  std::unique_ptr<Client> client_;
  bool interrupted_ = false;
};

}  // namespace warpsight::otlp
