#include "net/patience.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "core/quantity.h"

namespace warpsight {

TransportResult<Interruption> Interruption::make() {
  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) {
    return fail(TransportFailure::Kind::setup,
                "cannot make an event descriptor: " + errno_text(errno),
                "raise the limit of open files");
  }
  return Interruption(std::move(event));
}

void Interruption::trigger() const {
  const uint64_t one = 1;
  // Fails only where the counter is full, and then it has been triggered.
  (void)!::write(event_.get(), &one, sizeof one);
}

bool Interruption::triggered() const {
  pollfd entry{event_.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

Patience Patience::lasting(Duration timeout, const Interruption& interruption) {
  return {
      .deadline = SystemClock{}.steady() + timeout, .whole = timeout, .interruption = interruption};
}

Duration Patience::left() const {
  return std::max(Duration::zero(), deadline - SystemClock{}.steady());
}

TransportResult<> Patience::check(std::string_view doing) const {
  if (interruption.triggered()) {
    return fail(TransportFailure::Kind::interrupted, fmt::format("{} was stopped", doing));
  }
  if (left() == Duration::zero()) {
    return fail(TransportFailure::Kind::timeout,
                fmt::format("{} took longer than {}", doing, format_duration(whole)),
                "raise timeout, or see why the peer is slow");
  }
  return {};
}

TransportResult<> Patience::wait(int fd, short events, std::string_view doing) const {
  for (;;) {
    std::array<pollfd, 2> entries = {pollfd{fd, events, 0}, pollfd{interruption.fd(), POLLIN, 0}};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left());
    const int timeout = static_cast<int>(std::min<int64_t>(ms.count(), 60'000));
    const int ready = ::poll(entries.data(), entries.size(), timeout);
    if (ready < 0 && errno != EINTR) {
      return fail(TransportFailure::Kind::setup, "cannot wait: " + errno_text(errno));
    }
    if (const auto patient = check(doing); !patient) return patient;
    if (ready > 0) return {};
  }
}

}  // namespace warpsight
