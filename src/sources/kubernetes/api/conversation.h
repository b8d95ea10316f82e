// What is asked of an API server again and again, one question at a time. Conversations do no I/O:
// an ApiClient puts their questions and hands them the answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/ownership.h"
#include "net/transport_failure.h"

namespace warpsight::kubernetes {

struct Question {
  std::string path;      // with its query
  bool lasting = false;  // a watch: nobody waits for the end of its answer
  Duration idle = {};    // silent for so long, the answer is given up; zero: the client's timeout
  std::string_view accept = "application/json";
};

class Conversation {
 public:
  virtual ~Conversation() = default;

  // The question that is due; nullopt when none is. Not asked while an answer comes in.
  virtual std::optional<Question> next(SteadyTime now) = 0;

  // The answer: its status, its body in pieces of any size, and its end or what kept it from
  // coming. Where a piece is answered with false nothing more of this answer is wanted.
  virtual void begun(int status) = 0;
  virtual bool heard(std::string_view bytes, SteadyTime now) = 0;
  virtual void ended(SteadyTime now) = 0;
  virtual void failed(const TransportFailure& failure, SteadyTime now) = 0;

  // What was asked last, and what came of it.
  virtual Lookup lookup() const = 0;
  // What keeps it from knowing, with what to do; empty when nothing does.
  virtual const std::string& problem() const = 0;
};

}  // namespace warpsight::kubernetes
