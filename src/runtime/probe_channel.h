// One probe child and the conversation with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.h"
#include "core/clock.h"
#include "core/result.h"
#include "platform/child.h"
#include "platform/fd.h"
#include "runtime/call_trace.h"
#include "runtime/probe_wire.h"

namespace warpsight::probe {

// How to start a child: the agent's own binary with the verb `probe` and the source's name.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value", beside the agent's own
  Start start;
};

// Where a child finds its socket and its call trace.
inline constexpr int kSocketFd = 3;
inline constexpr int kTraceFd = 4;

class Channel {
 public:
  static Result<std::unique_ptr<Channel>> open(const Launch& launch, EntityTable& entities);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Asks for a run. `deadline` is when to call the child hung.
  Result<> request(SteadyTime now, SteadyTime deadline);
  Result<> admit(std::string_view device);

  bool waiting() const { return waiting_; }
  SteadyTime deadline() const { return deadline_; }
  SteadyTime requested_at() const { return requested_at_; }
  int fd() const { return socket_.get(); }
  uint64_t replies() const { return replies_; }

  // Takes what the socket has. True: a reply is there, with what the child read appended to `out`
  // and how its run ended in `outcome`. False: not yet. An error: it is dead or talks nonsense.
  Result<bool> receive(Batch& out, Result<>& outcome);

  // The call the child is in, as it said before entering it.
  const CallTrace& trace() const { return *trace_; }
  const BatchDecoder& decoder() const { return decoder_; }
  int pid() const { return child_.pid(); }

  // Kills the child; the caller keeps it until the kernel lets it die.
  Child kill();

 private:
  Channel(Child child, Fd socket, CallTrace* trace, EntityTable& entities)
      : child_(std::move(child)), socket_(std::move(socket)), trace_(trace), decoder_(entities) {}

  Result<> send(FrameType type, std::string_view payload);

  Child child_;
  Fd socket_;
  CallTrace* trace_;  // shared mapping
  BatchDecoder decoder_;
  FrameReader reader_;
  std::string out_;
  bool waiting_ = false;
  SteadyTime requested_at_{};
  SteadyTime deadline_{};
  uint64_t replies_ = 0;
};

// Maps the trace a parent passed to this process; a private one when there is none.
CallTrace* map_trace(int fd);

}  // namespace warpsight::probe
