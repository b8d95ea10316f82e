// Serving engines on this node: finds listening sockets, says what to ask of whom, and keeps what
// was learnt. Does no I/O but reading /proc; the caller speaks HTTP.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "sources/engines/discovery/identify.h"
#include "sources/engines/discovery/listeners.h"
#include "sources/engines/tables/table.h"

namespace warpsight::engines {

struct FoundEndpoint {
  std::string address;  // "127.0.0.1:8000", "[::1]:8000"
  std::string path;     // of its page
  std::string engine;   // name of its table
  std::string version;  // empty: not told
  int pid = 0;          // 0: unknown

  friend bool operator==(const FoundEndpoint&, const FoundEndpoint&) = default;
};

struct Question {
  uint64_t candidate = 0;
  std::string address;
  std::string path;
};

// For one thread.
class Discovery {
 public:
  static constexpr size_t kMaxCandidates = 64;  // that are no endpoint (yet)
  static constexpr size_t kMaxEndpoints = 200;

  // `tables` outlive it.
  explicit Discovery(std::span<const EngineTable> tables, ListenerSettings settings = {});

  // Looks at the node anew; every half a minute will do. Candidates whose socket has ended are
  // forgotten. A question that was not answered by the second update after it counts as unanswered.
  void update(SteadyTime now, std::span<const int> gpu_pids);

  // What to GET now. Each is told once; at most one of a candidate, and of a process, is open.
  std::vector<Question> requests();

  // Status 0: no connection, no HTTP, or too late. A body may be cut off at
  // Identification::kBodyLimit. An answer to what is no longer asked is ignored.
  void answer(uint64_t candidate, std::string_view path, int status, std::string_view body,
              std::string_view content_type, SteadyTime now);

  // One of a process: its other sockets show the same page, or none.
  std::vector<FoundEndpoint> found() const;

  // A line for a person on each candidate.
  std::vector<std::string> describe() const;

  // In another network namespace, and so not asked: an address must be given for them.
  std::vector<Listener> out_of_reach() const;

  // Listeners left out by the last update because there were too many.
  size_t left_out() const { return left_out_; }

 private:
  struct Key {
    std::string address;
    uint16_t port = 0;
    int namespace_pid = 0;  // 0: our own namespace
    auto operator<=>(const Key&) const = default;
  };
  struct Candidate {
    uint64_t id = 0;
    size_t rank = 0;  // in the last scan: the likeliest is 0
    Listener listener;
    std::optional<Identification> asking;
    std::optional<Verdict> verdict;  // the last one
    std::string asked;               // under way; empty: nothing
    unsigned updates_waited = 0;
    unsigned attempts = 0;
    SteadyTime ask_again = {};
  };

  void take_scan(std::vector<Listener> listeners, SteadyTime now);
  void begin_asking(Candidate& candidate, SteadyTime now);
  void take_answer(Candidate& candidate, int status, std::string_view body,
                   std::string_view content_type, SteadyTime now);
  void settle(Candidate& candidate, SteadyTime now);
  bool asked_no_more(const Candidate& candidate) const;
  bool process_is_found(int pid) const;
  bool waits_for_sibling(const Candidate& candidate) const;
  std::string describe(const Candidate& candidate) const;

  std::span<const EngineTable> tables_;
  ListenerScan scan_;
  uint64_t last_id_ = 0;
  size_t left_out_ = 0;
  std::map<Key, Candidate> candidates_;
};

}  // namespace warpsight::engines
