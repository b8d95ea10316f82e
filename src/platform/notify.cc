#include "platform/notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace warpsight {
namespace {

// Variables are read at start-up; nothing in the agent sets any.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? std::string_view(value) : std::string_view();
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string one_line(std::string_view text) {
  std::string out(text.substr(0, 512));
  std::ranges::replace(out, '\n', ' ');
  return out;
}

}  // namespace

Notifier::Notifier(std::string_view socket_name) : name_(socket_name) {
  const bool valid = name_.size() > 1 && name_.size() < sizeof(sockaddr_un::sun_path) &&
                     (name_.front() == '/' || name_.front() == '@');
  if (valid) socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

Notifier Notifier::from_environment() { return Notifier(variable("NOTIFY_SOCKET")); }

bool Notifier::send(std::string_view message) const {
  if (!socket_) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name_.data(), name_.size());
  if (name_.front() == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
  // Never waits: a manager that does not read must not stop the agent.
  const ssize_t sent =
      ::sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&address), length);
  return sent == static_cast<ssize_t>(message.size());
}

bool Notifier::ready(std::string_view status) const {
  return status.empty() ? send("READY=1") : send("READY=1\nSTATUS=" + one_line(status));
}

bool Notifier::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  return send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", usec));
}

bool Notifier::stopping() const { return send("STOPPING=1"); }
bool Notifier::status(std::string_view text) const { return send("STATUS=" + one_line(text)); }
bool Notifier::watchdog() const { return send("WATCHDOG=1"); }

std::optional<Duration> watchdog_interval(std::string_view usec, std::string_view pid, pid_t self) {
  if (!pid.empty() && number(pid) != self) return std::nullopt;
  const auto value = number(usec);
  constexpr std::int64_t kLongest = std::int64_t{86'400} * 1'000'000;
  if (!value || *value <= 0 || *value > kLongest) return std::nullopt;
  return std::chrono::microseconds{*value};
}

std::optional<Duration> watchdog_interval_from_environment() {
  return watchdog_interval(variable("WATCHDOG_USEC"), variable("WATCHDOG_PID"), ::getpid());
}

}  // namespace warpsight
