// Makes libcurl's transfers go on, and keeps their connections.
#pragma once

#include <memory>
#include <optional>

#include "core/clock.h"
#include "net/curl_library.h"
#include "net/patience.h"
#include "platform/fd.h"

namespace warpsight {

// For one thread, but for interrupt(). What a transfer costs does not depend on how many there are.
class CurlDriver {
 public:
  struct Ended {
    CURL* handle;  // null: libcurl cannot go on with any
    CURLcode code;
  };

  // Of connections that nobody uses that many are kept.
  static TransportResult<std::unique_ptr<CurlDriver>> make(const CurlLibrary& curl,
                                                           long most_connections);
  ~CurlDriver();
  CurlDriver(const CurlDriver&) = delete;
  CurlDriver& operator=(const CurlDriver&) = delete;

  // A handle that is added must be removed before its end and that of the driver.
  bool add(CURL* handle);
  // Before its transfer ended: closes its connection.
  void remove(CURL* handle);

  // The next transfer that ended. nullopt when none did until then, when there is none, or when
  // interrupted.
  std::optional<Ended> next(SteadyTime until);

  // For a caller to whom the end of a transfer is not all that matters: one that ended by now, and
  // waits until something can go on, and makes it. False: libcurl cannot.
  std::optional<Ended> ended() const;
  bool go_on(SteadyTime until);

  // From any thread: next() and go_on() return at once, now and later.
  void interrupt() const { interruption_.trigger(); }
  bool interrupted() const { return interruption_.triggered(); }

 private:
  CurlDriver(const CurlLibrary& curl, CURLM* multi, Fd epoll, Interruption interruption);

  static int on_socket(CURL* handle, curl_socket_t socket, int what, void* driver, void*);
  static int on_timer(CURLM* multi, long ms, void* driver);

  int watch(curl_socket_t socket, int what) const;
  bool act(curl_socket_t socket, int what) const;

  const CurlLibrary& curl_;
  CURLM* multi_;
  Fd epoll_;
  Interruption interruption_;
  SteadyTime timer_ = SteadyTime::max();  // when libcurl wants to go on, come what may
  size_t transfers_ = 0;
};

}  // namespace warpsight
