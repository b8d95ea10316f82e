#include "app/event_loop.h"

#include <event2/event.h>

#include <algorithm>
#include <utility>

#include "runtime/log.h"

namespace warpsight {
namespace {

timeval to_timeval(Duration duration) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(std::max(duration, Duration::zero()));
  return {static_cast<time_t>(micros.count() / 1'000'000),
          static_cast<suseconds_t>(micros.count() % 1'000'000)};
}

void call(evutil_socket_t, short, void* action) { (*static_cast<EventLoop::Action*>(action))(); }

}  // namespace

struct EventLoop::Signal {
  Action action;
  std::unique_ptr<event, Free> handle;
};

void EventLoop::Free::operator()(event_base* base) const { event_base_free(base); }
void EventLoop::Free::operator()(event* event) const { event_free(event); }

EventLoop::EventLoop() : base_(event_base_new()) {
  event_set_log_callback([](int severity, const char* message) {
    log(severity == EVENT_LOG_ERR ? LogLevel::error : LogLevel::warn, "libevent",
        {{"says", message}});
  });
}

EventLoop::~EventLoop() = default;

void EventLoop::on_signal(int signal, Action action) {
  auto entry = std::make_unique<Signal>();
  entry->action = std::move(action);
  entry->handle.reset(evsignal_new(base_.get(), signal, call, &entry->action));
  event_add(entry->handle.get(), nullptr);
  signals_.push_back(std::move(entry));
}

EventLoop::Timer::Timer(event_base* base, Action action)
    : action_(std::move(action)), event_(evtimer_new(base, call, &action_)) {}

void EventLoop::Timer::set(Duration after) {
  const timeval delay = to_timeval(after);
  evtimer_add(event_.get(), &delay);
}

EventLoop::Timer& EventLoop::add_timer(Action action) {
  timers_.push_back(std::make_unique<Timer>(base_.get(), std::move(action)));
  return *timers_.back();
}

void EventLoop::run() { event_base_dispatch(base_.get()); }

void EventLoop::stop() { event_base_loopbreak(base_.get()); }

}  // namespace warpsight
