// Rounds of requests to many pages: all begin together, those that are quick do not wait for those
// that are slow, and a slow one may be under way for longer than a round.
#pragma once

#include <memory>
#include <string>

#include "core/clock.h"
#include "core/result.h"
#include "net/http_fetcher.h"
#include "runtime/peer_options.h"

namespace warpsight::engines {

class ScrapeRounds {
 public:
  // `options` has kPeerOptions. A request may take as long as they say, but no longer than a round,
  // which is four fifths of `period`.
  static Result<ScrapeRounds> make(const Clock& clock, const Options& options, Duration period,
                                   size_t body_limit);

  // Whether a new round begins with this step of a run.
  bool begins();

  // Loads the HTTP library when it is first called. Credentials go only to whom the config names;
  // who was found on this node is asked without, and past any proxy.
  Result<> ask(uint64_t tag, const std::string& url, bool named);
  void cancel(uint64_t tag);

  // Calls fn(Fetched&) for each outcome that comes within a slice of the round.
  template <typename Fn>
  void step(Fn&& fn) {
    if (!fetcher_) return;
    const SteadyTime until = slice_end();
    while (auto fetched = fetcher_->next(until)) {
      fn(*fetched);
      spare_ = fetched->reply ? std::move(fetched->reply->body) : std::string();
      if (clock_->steady() >= until) break;
    }
  }

  // The round goes on: step() again.
  bool unfinished() const;

 private:
  ScrapeRounds(const Clock& clock, Options options, HttpClientSettings settings, Duration period);
  SteadyTime slice_end() const;

  const Clock* clock_;
  HttpClientSettings settings_;
  PeerHeaders headers_;
  Duration period_;
  std::unique_ptr<HttpFetcher> fetcher_;
  SteadyTime round_end_{};
  bool in_round_ = false;
  std::string spare_;  // a body's memory, for the next one
};

}  // namespace warpsight::engines
