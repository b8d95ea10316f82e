// The history of a running agent: publishes are queued for a thread that writes them, and queries
// see all that was recorded.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "history/frame.h"
#include "history/history.h"
#include "history/memory.h"
#include "history/reader.h"
#include "history/writer.h"

namespace warpsight {

class Recorder final : public History {
 public:
  Recorder(const HistorySettings& settings, const Clock& clock, const EntityTable& entities);
  // Waits for the thread.
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Result<> open();

  void record(const Snapshot& snapshot) override;
  HistoryStatus status() const override;
  bool stop(Duration timeout) override;

  tl::expected<SeriesAnswer, QueryError> series(const SeriesQuery& query) const override;
  Result<EventAnswer> events(const EventQuery& query) const override;
  Result<std::vector<KnownSeries>> known(const std::vector<std::string>& metrics,
                                         const std::vector<Matcher>& matchers) const override;

 private:
  void fill(Frame& frame, const Snapshot& snapshot);
  void run();
  void take(std::unique_ptr<Frame> frame);
  void await_writer() const;

  HistorySettings settings_;
  const EntityTable& entities_;
  Memory memory_;
  Reader reader_;
  Writer writer_;  // the thread's, once it runs

  std::vector<uint32_t> births_;  // of the tenant of each slot that was told; record() alone

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::unique_ptr<Frame>> queue_;
  std::vector<std::unique_ptr<Frame>> spare_;
  uint64_t recorded_ = 0;
  uint64_t taken_ = 0;
  uint64_t not_queued_ = 0;  // samples and events
  bool tell_tenants_ = false;
  bool stopping_ = false;
  bool stopped_ = false;
  Writer::State state_;
  std::thread thread_;
};

}  // namespace warpsight
