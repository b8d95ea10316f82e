// Answers from the database and from what is not in it yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "history/history.h"
#include "history/memory.h"
#include "history/sqlite.h"
#include "history/step_grid.h"

namespace warpsight {

class Reader final : public HistoryReader {
 public:
  // `memory` is of the agent that writes here; nullptr: of another process, which is read from what
  // that one has flushed.
  Reader(std::string path, const Memory* memory) : path_(std::move(path)), memory_(memory) {}

  // Whether the file can be read.
  Result<> open();
  // The file was replaced: the next query opens it anew.
  void close();
  // The same, unless a query is being answered.
  void close_if_idle();
  // Whether a query has found damage since the last time this was asked.
  bool take_damage();
  // Records that did not decode.
  uint64_t unreadable() const { return unreadable_; }

  tl::expected<SeriesAnswer, QueryError> series(const SeriesQuery& query) const override;
  Result<EventAnswer> events(const EventQuery& query) const override;
  Result<std::vector<KnownSeries>> known(const std::vector<std::string>& metrics,
                                         const std::vector<Matcher>& matchers) const override;

 private:
  // Calls fn(Database&, const Memory&) with the connection to itself.
  template <typename Fn>
  auto with_store(Fn&& fn) const
      -> decltype(fn(std::declval<Database&>(), std::declval<Memory&>()));
  Result<> open_locked() const;

  std::string path_;
  const Memory* memory_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Database> database_;
  mutable bool damage_found_ = false;
  mutable std::atomic<uint64_t> unreadable_ = 0;
};

}  // namespace warpsight
