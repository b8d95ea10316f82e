// A sink encodes snapshots into messages and hands them over. Encoding runs under the registry's
// lock and must be quick; delivering runs on the sink's own thread and may take its time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/clock.h"
#include "core/entity.h"
#include "core/registry.h"
#include "core/result.h"
#include "runtime/options.h"

namespace warpsight {

struct SinkContext {
  const Clock& clock;
  const EntityTable& entities;
  const Options& options;
  // What the agent stands on, for outputs that state it once.
  std::span<const Attribute> resource;
  // The host's name, what the config adds and whether it is simulated, for outputs that repeat it.
  std::span<const Attribute> brief_resource = {};
  // Asked while encoding; nullptr where nothing evaluates rules.
  const AlertBook* alerts = nullptr;
};

// What is sent in one request, whole. It may be sent by another run of the agent than the one
// that made it, so it refers to nothing outside itself.
struct Message {
  uint8_t kind = 0;     // the sink's own: metrics or logs
  uint32_t points = 0;  // or log records
  std::string bytes;
};

// Messages of one snapshot, in the order they are to be sent. Buffers are used again.
class Outbox {
 public:
  // An empty message; the reference is valid until the next call.
  Message& add(uint8_t kind = 0) {
    if (used_ == messages_.size()) messages_.emplace_back();
    Message& message = messages_[used_++];
    message.kind = kind;
    message.points = 0;
    message.bytes.clear();
    return message;
  }
  void clear() { used_ = 0; }
  std::span<Message> messages() { return std::span(messages_).first(used_); }

 private:
  std::vector<Message> messages_;
  size_t used_ = 0;
};

// What became of a message.
struct Delivery {
  enum class Outcome : uint8_t {
    accepted,      // taken, but for the points counted below
    retry,         // not taken now; the same message may be taken later
    refused,       // will never be taken
    unauthorized,  // not taken until somebody mends the credentials
  };

  Outcome outcome = Outcome::accepted;
  uint64_t rejected = 0;    // points the peer took out of an accepted message
  uint64_t too_old = 0;     // points the peer would not take for their age
  std::string reason = {};  // of anything but plain success, few in number: "timeout"
  std::string words = {};   // the peer's own, or what went wrong, for a person
  std::optional<Duration> retry_after = {};  // as the peer asked

  static Delivery accepted() { return {}; }
  // A local failure: the message is lost unless the lane keeps it.
  static Delivery of(const Result<>& result, std::string_view reason) {
    if (result) return accepted();
    return {.outcome = Outcome::retry,
            .reason = std::string(reason),
            .words = describe(result.error())};
  }
};

class Sink {
 public:
  virtual ~Sink() = default;

  virtual void encode(const Snapshot& snapshot, Outbox& out) = 0;

  virtual Delivery deliver(const Message& message) = 0;

  // From any thread: a deliver() that waits gives up soon, and so do later ones.
  virtual void interrupt() {}

  // Where it delivers to, for people; never with a secret.
  virtual std::string peer() const = 0;
};

// A row of the table of sinks. Every sink has the option `enabled`.
struct SinkDef {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDef> options;
  Result<std::unique_ptr<Sink>> (*make)(const SinkContext&);
  // Keeps on disk what its peer does not take; the options include kSpoolOptions then.
  bool spooled = false;
  // Each message says everything anew: while one is under way only the newest waits, and nothing is
  // lost by a failure.
  bool says_all = false;
};

}  // namespace warpsight
