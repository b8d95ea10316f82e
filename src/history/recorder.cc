#include "history/recorder.h"

#include <algorithm>
#include <utility>

#include "core/attributes.h"
#include "history/store_files.h"

namespace warpsight {
namespace {

constexpr size_t kMostQueued = 8;
constexpr size_t kMostSpare = 2;
constexpr Duration kWaitForWriter = std::chrono::seconds{1};

SeriesIdentity identity_of(const EntityTable& entities, const Series& series) {
  const MetricRow& metric = row(series.metric);
  return {.metric = std::string(metric.name),
          .unit = std::string(metric.unit),
          .kind = metric.kind,
          .attributes = attributes_of(entities, series.entity, &metric)};
}

}  // namespace

Recorder::Recorder(const HistorySettings& settings, const Clock& clock, const EntityTable& entities)
    : settings_(settings),
      entities_(entities),
      reader_(database_path(settings.directory), &memory_),
      writer_(settings, clock, memory_, [this] { reader_.close(); }) {}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<> Recorder::open() {
  if (auto opened = writer_.open(); !opened) return opened;
  state_ = writer_.state();
  thread_ = std::thread([this] { run(); });
  return {};
}

void Recorder::fill(Frame& frame, const Snapshot& snapshot) {
  frame.clear();
  frame.time = to_ms(snapshot.time);
  frame.values.reserve(snapshot.samples.size());
  births_.resize(std::max(births_.size(), snapshot.series.size()));
  for (const Sample& sample : snapshot.samples) {
    if (births_[sample.series] != sample.birth) {
      const Series* const series = snapshot.series_of(sample);
      if (series == nullptr) continue;
      births_[sample.series] = sample.birth;
      frame.tenants.push_back({sample.series, identity_of(entities_, *series)});
    }
    frame.values.push_back({sample.series, sample.value});
  }
  for (const Event& event : snapshot.events) {
    frame.events.push_back({event.time, event.name, event.severity, event.message,
                            attributes_of(entities_, event.entity, nullptr, event.attributes)});
  }
}

void Recorder::record(const Snapshot& snapshot) {
  std::unique_ptr<Frame> frame;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    if (queue_.size() >= kMostQueued) {
      not_queued_ += snapshot.samples.size() + snapshot.events.size();
      return;
    }
    if (std::exchange(tell_tenants_, false)) births_.clear();
    if (!spare_.empty()) {
      frame = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!frame) frame = std::make_unique<Frame>();
  fill(*frame, snapshot);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(frame));
    ++recorded_;
  }
  changed_.notify_all();
}

void Recorder::take(std::unique_ptr<Frame> frame) {
  if (reader_.take_damage()) writer_.distrust();
  writer_.take(*frame);
  const std::lock_guard lock(mutex_);
  tell_tenants_ |= writer_.wants_tenants();
  state_ = writer_.state();
  ++taken_;
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(frame));
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto has_work = [this] { return stopping_ || !queue_.empty(); };
    const bool idle = !changed_.wait_for(lock, settings_.flush_interval, has_work);
    if (idle || queue_.empty()) {
      const bool last = stopping_;
      lock.unlock();
      writer_.flush();
      lock.lock();
      state_ = writer_.state();
      if (!last) continue;
      break;
    }
    std::unique_ptr<Frame> frame = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    take(std::move(frame));
    changed_.notify_all();
    lock.lock();
  }
  lock.unlock();
  // The last connection to go puts everything into the one file. A query that takes long is not
  // waited for: the next to open the file does it then.
  reader_.close_if_idle();
  writer_.close();
  lock.lock();
  stopped_ = true;
  lock.unlock();
  changed_.notify_all();
}

bool Recorder::stop(Duration timeout) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, timeout, [this] { return stopped_; });
}

HistoryStatus Recorder::status() const {
  const Memory::Sight sight = memory_.sight();
  const auto or_newest = [&](int64_t ms) { return from_ms(ms != 0 ? ms : sight.first_time); };
  const uint64_t bytes = bytes_on_disk(settings_.directory);
  const std::lock_guard lock(mutex_);
  return {.up = state_.up,
          .path = database_path(settings_.directory),
          .bytes = bytes,
          .max_bytes = settings_.max_bytes,
          .series = state_.series,
          .oldest = or_newest(state_.oldest),
          .oldest_full = or_newest(state_.oldest_full),
          .dropped = state_.dropped + not_queued_,
          .damaged = state_.damaged + reader_.unreadable(),
          .last_error = state_.last_error,
          .set_aside = state_.set_aside};
}

void Recorder::await_writer() const {
  std::unique_lock lock(mutex_);
  const uint64_t wanted = recorded_;
  changed_.wait_for(lock, kWaitForWriter, [&] { return taken_ >= wanted || stopped_; });
}

tl::expected<SeriesAnswer, QueryError> Recorder::series(const SeriesQuery& query) const {
  await_writer();
  return reader_.series(query);
}

Result<EventAnswer> Recorder::events(const EventQuery& query) const {
  await_writer();
  return reader_.events(query);
}

Result<std::vector<KnownSeries>> Recorder::known(const std::vector<std::string>& metrics,
                                                 const std::vector<Matcher>& matchers) const {
  await_writer();
  return reader_.known(metrics, matchers);
}

}  // namespace warpsight
