#include "net/curl_driver.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <span>

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr Duration kLongestWait = std::chrono::minutes{1};

int wait_ms(Duration left) {
  const Duration wait = std::clamp(left, Duration::zero(), kLongestWait);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

bool watch_for_input(const Fd& epoll, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

int happened(uint32_t events) {
  return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
         ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
         ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

}  // namespace

TransportResult<std::unique_ptr<CurlDriver>> CurlDriver::make(const CurlLibrary& curl,
                                                              long most_connections) {
  auto interruption = Interruption::make();
  if (!interruption) return tl::unexpected(interruption.error());
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll || !watch_for_input(epoll, interruption->fd())) {
    return fail(Kind::setup, "cannot wait for HTTP answers: no file descriptors left",
                "raise the limit of open files");
  }
  CURLM* multi = curl.multi_init();
  if (multi == nullptr) return fail(Kind::setup, "cannot make an HTTP client: out of memory");
  curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, most_connections);
  return std::unique_ptr<CurlDriver>(
      new CurlDriver(curl, multi, std::move(epoll), std::move(*interruption)));
}

CurlDriver::CurlDriver(const CurlLibrary& curl, CURLM* multi, Fd epoll, Interruption interruption)
    : curl_(curl), multi_(multi), epoll_(std::move(epoll)), interruption_(std::move(interruption)) {
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlDriver::~CurlDriver() { curl_.multi_cleanup(multi_); }

int CurlDriver::on_socket(CURL* /*handle*/, curl_socket_t socket, int what, void* driver,
                          void* /*unused*/) {
  return static_cast<const CurlDriver*>(driver)->watch(socket, what);
}

int CurlDriver::watch(curl_socket_t socket, int what) const {
  epoll_event event{.events = 0, .data = {.fd = socket}};
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, &event);
    return 0;
  }
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) event.events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) event.events |= EPOLLOUT;
  const bool watched = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket, &event) == 0 ||
                       ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) == 0;
  return watched ? 0 : -1;
}

int CurlDriver::on_timer(CURLM* /*multi*/, long ms, void* driver) {
  static_cast<CurlDriver*>(driver)->timer_ =
      ms < 0 ? SteadyTime::max() : SystemClock().steady() + std::chrono::milliseconds{ms};
  return 0;
}

bool CurlDriver::add(CURL* handle) {
  const bool added = curl_.multi_add_handle(multi_, handle) == CURLM_OK;
  if (added) ++transfers_;
  return added;
}

void CurlDriver::remove(CURL* handle) {
  curl_.multi_remove_handle(multi_, handle);
  --transfers_;
}

std::optional<CurlDriver::Ended> CurlDriver::ended() const {
  int left = 0;
  const CURLMsg* message = curl_.multi_info_read(multi_, &left);
  if (message == nullptr) return std::nullopt;
  return Ended{.handle = message->easy_handle, .code = message->data.result};
}

std::optional<CurlDriver::Ended> CurlDriver::next(SteadyTime until) {
  while (transfers_ > 0 && !interrupted()) {
    if (const auto one = ended()) return one;
    const bool last_look = SystemClock().steady() >= until;
    if (!go_on(until)) return Ended{.handle = nullptr, .code = CURLE_FAILED_INIT};
    if (last_look) return ended();
  }
  return std::nullopt;
}

bool CurlDriver::go_on(SteadyTime until) {
  std::array<epoll_event, 64> events;
  const Duration left = std::min(until, timer_) - SystemClock().steady();
  const int ready = ::epoll_wait(epoll_.get(), events.data(), events.size(), wait_ms(left));
  for (const epoll_event& event :
       std::span(events).first(static_cast<size_t>(std::max(ready, 0)))) {
    const bool ours = event.data.fd == interruption_.fd();
    if (!ours && !act(event.data.fd, happened(event.events))) return false;
  }
  if (SystemClock().steady() < timer_) return true;
  timer_ = SteadyTime::max();
  return act(CURL_SOCKET_TIMEOUT, 0);
}

bool CurlDriver::act(curl_socket_t socket, int what) const {
  int running = 0;
  return curl_.multi_socket_action(multi_, socket, what, &running) == CURLM_OK;
}

}  // namespace warpsight
