// Asks a source again and again on a thread of its own, so that a host that hangs holds nobody up.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/clock.h"
#include "core/result.h"
#include "top/history.h"
#include "top/node.h"
#include "top/source.h"

namespace warpsight::top {

struct Update {
  Result<Node> node;
  Past past = {};  // comes once, with the first node for which it could be had
};

class Feed {
 public:
  // `name` is what a person calls the host.
  Feed(std::string name, std::unique_ptr<NodeSource> source, Duration interval);
  // Interrupts what is under way.
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  const std::string& name() const { return name_; }

  // `wake` is called on the feed's thread whenever there is something to take.
  void start(std::function<void()> wake);
  // The newest that was not taken. Never waits.
  std::optional<Update> take();

 private:
  void run();
  void ask();

  std::string name_;
  std::unique_ptr<NodeSource> source_;
  Duration interval_;
  std::function<void()> wake_;
  int past_questions_left_ = 5;

  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::optional<Update> newest_;
  std::thread thread_;
};

}  // namespace warpsight::top
