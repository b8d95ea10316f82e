// libevent's loop with just what the agent needs of it: signals and timers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"

struct event_base;
struct event;

namespace warpsight {

class EventLoop {
 public:
  using Action = std::function<void()>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  event_base* base() { return base_.get(); }

  void on_signal(int signal, Action action);

  // A timer calls its action each time it runs out; it runs only when set.
  class Timer;
  Timer& add_timer(Action action);

  // Until stop(), from within an action.
  void run();
  void stop();

 private:
  struct Free {
    void operator()(event_base* base) const;
    void operator()(event* event) const;
  };
  friend class Timer;

  std::unique_ptr<event_base, Free> base_;
  std::vector<std::unique_ptr<Timer>> timers_;
  struct Signal;
  std::vector<std::unique_ptr<Signal>> signals_;
};

class EventLoop::Timer {
 public:
  Timer(event_base* base, Action action);
  void set(Duration after);

 private:
  Action action_;
  std::unique_ptr<event, Free> event_;
};

}  // namespace warpsight
