// Signals as bytes of a pipe, while it lives: those that end the program, and the one that tells of
// a new size. One at a time.
#pragma once

#include <csignal>
#include <map>

#include "core/result.h"
#include "platform/fd.h"

namespace warpsight::top {

class Interrupts {
 public:
  static Result<Interrupts> make();
  Interrupts(Interrupts&&) = default;
  Interrupts& operator=(Interrupts&&) = delete;
  // Puts back what was there before.
  ~Interrupts();

  // To poll; wake() makes it readable too.
  int fd() const { return pipe_.first.get(); }
  // From any thread.
  void wake() const;

  struct News {
    bool end = false;     // SIGINT, SIGTERM or SIGHUP
    bool resize = false;  // SIGWINCH
  };
  // What came since the last call. Never waits.
  News take();

 private:
  explicit Interrupts(FdPair pipe) : pipe_(std::move(pipe)) {}

  FdPair pipe_;
  std::map<int, struct sigaction> before_;
};

}  // namespace warpsight::top
