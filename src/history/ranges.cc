#include "history/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "history/coarse_chunk.h"
#include "history/frame.h"
#include "history/known.h"
#include "history/packing.h"
#include "history/retention.h"
#include "history/step_grid.h"
#include "history/store.h"

namespace warpsight {
namespace {

constexpr int64_t kMostSteps = 720;  // where nobody said how many
constexpr size_t kAtOnce = 64;       // series that are read in one transaction
constexpr std::array<int64_t, 18> kNiceSeconds = {
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 86400};

// The next round number of seconds, a little below it included: samples are never on the second.
Duration nice_step(Duration least) {
  constexpr int64_t kDay = kNiceSeconds.back();
  const double wanted = to_seconds(least) * 0.95;
  for (const int64_t seconds : kNiceSeconds) {
    if (static_cast<double>(seconds) >= wanted) return std::chrono::seconds{seconds};
  }
  return std::chrono::seconds{kDay * static_cast<int64_t>(std::ceil(wanted / kDay))};
}

int64_t step_ms(const StepGrid& grid) {
  return std::max<int64_t>(
      1, std::chrono::duration_cast<std::chrono::milliseconds>(grid.step).count());
}

Result<int64_t> interval_of_frames(Database& database, const Memory& memory) {
  if (const auto sight = memory.sight(); sight.interval > 0) return sight.interval;
  Statement newest(database, "SELECT times FROM blocks ORDER BY id DESC LIMIT 1");
  std::vector<int64_t> times;
  if (newest.next()) {
    Unpacker in(newest.bytes(0));
    unpack_times(in, kMaxFrames, times);
  }
  if (auto read = newest.outcome(); !read) return tl::unexpected(read.error());
  return times.size() < 2 ? 0 : times.back() - times[times.size() - 2];
}

struct Plan {
  StepGrid grid;
  int64_t coarse_before = 0;  // milliseconds: earlier than this only bins are kept
};

// Where full resolution ends and, if bins are to be read, a step of whole bins.
Result<Plan> make_plan(Database& database, const Memory& memory, const SeriesQuery& query) {
  Duration step = query.step;
  if (step == Duration::zero()) {
    const auto interval = interval_of_frames(database, memory);
    if (!interval) return tl::unexpected(interval.error());
    step = nice_step(std::max<Duration>((query.to - query.from) / kMostSteps,
                                        std::chrono::milliseconds{*interval}));
  }
  Plan plan{StepGrid(query.from, query.to, step)};
  const auto oldest = oldest_kept(database);
  if (!oldest) return tl::unexpected(oldest.error());
  const int64_t full = oldest->full != 0 ? oldest->full : memory.sight().first_time;
  // The first bin may begin a little before the first frame.
  if (oldest->coarse == 0 || (full != 0 && oldest->coarse > full - kCoarseMs)) return plan;
  const auto until = database.number("SELECT max(first + bins) FROM coarse_blocks");
  if (!until) return tl::unexpected(until.error());
  const int64_t next_bin = (full + kCoarseMs - 1) / kCoarseMs * kCoarseMs;
  const int64_t boundary = full == 0 ? *until * kCoarseMs : std::min(next_bin, *until * kCoarseMs);
  if (to_ms(plan.grid.first) >= boundary || to_ms(query.to) <= oldest->coarse) return plan;
  const Duration bins = (step + kCoarseStep - Duration{1}) / kCoarseStep * kCoarseStep;
  return Plan{StepGrid(query.from, query.to, bins), boundary};
}

// Reads some series at a time: first what is in memory, then, in one transaction, what is written.
class RangeReader {
 public:
  RangeReader(Database& database, const Memory& memory, const Plan& plan)
      : database_(database),
        plan_(plan),
        memory_(memory),
        first_(to_ms(plan.grid.first)),
        end_(to_ms(plan.grid.end())) {}

  Result<std::vector<StepSums>> read(std::span<const SeriesRow> rows) {
    std::vector<uint32_t> ids;
    for (const SeriesRow& row : rows) ids.push_back(row.id);
    const Memory::Parts unwritten = memory_.parts(ids);
    const Transaction transaction(database_, Transaction::Kind::read);
    if (!transaction.begun()) return tl::unexpected(transaction.begun().error());
    if (auto listed = list_blocks(unwritten.first_block); !listed) {
      return tl::unexpected(listed.error());
    }
    std::vector<StepSums> all;
    for (size_t i = 0; i < rows.size(); ++i) {
      StepSums& sums = all.emplace_back(first_, step_ms(plan_.grid), plan_.grid.steps);
      if (auto read = read_coarse(ids[i], sums); !read) return tl::unexpected(read.error());
      if (auto read = read_full(ids[i], sums); !read) return tl::unexpected(read.error());
      for (const Memory::Part& part : unwritten.parts) add(part.times, part.chunks[i], sums);
    }
    return all;
  }

 private:
  struct CoarseBlock {
    int64_t id;
    int64_t first;
    size_t bins;
  };
  struct FullBlock {
    int64_t id;
    std::vector<int64_t> times;
  };

  Result<> list_blocks(int64_t first_unwritten) {
    coarse_.clear();
    full_.clear();
    Statement coarse(database_,
                     "SELECT id, first, bins FROM coarse_blocks WHERE first + bins > ?1 AND "
                     "first < ?2 ORDER BY id");
    coarse.bind(1, first_ / kCoarseMs).bind(2, std::min(end_, plan_.coarse_before) / kCoarseMs);
    while (coarse.next()) {
      coarse_.push_back({coarse.number(0), coarse.number(1) * kCoarseMs,
                         static_cast<size_t>(std::max<int64_t>(coarse.number(2), 0))});
    }
    if (auto read = coarse.outcome(); !read) return read;
    // A little earlier too: a counter's first gain is from the sample before.
    Statement full(database_,
                   "SELECT id, times FROM blocks WHERE last >= ?1 AND first < ?2 AND id < ?3 "
                   "ORDER BY id");
    full.bind(1, first_ - kCoarseMs).bind(2, end_).bind(3, first_unwritten);
    while (full.next()) {
      FullBlock block{full.number(0), {}};
      Unpacker in(full.bytes(1));
      if (unpack_times(in, kMaxFrames, block.times)) {
        full_.push_back(std::move(block));
      } else {
        database_.found_unreadable();
      }
    }
    return full.outcome();
  }

  Result<> read_coarse(uint32_t series, StepSums& sums) {
    Statement chunk(database_, "SELECT data FROM coarse WHERE key = ?1");
    for (const CoarseBlock& block : coarse_) {
      chunk.bind(1, chunk_key(block.id, series));
      if (chunk.next()) {
        if (!decode_coarse(chunk.bytes(0), block.bins, bins_)) database_.found_unreadable();
        for (size_t i = 0; i < bins_.size(); ++i) {
          const int64_t time = block.first + static_cast<int64_t>(i) * kCoarseMs;
          if (time < plan_.coarse_before) sums.add(time, bins_[i]);
        }
      }
      if (auto read = chunk.outcome(); !read) return read;
      chunk.again();
    }
    return {};
  }

  Result<> read_full(uint32_t series, StepSums& sums) {
    Statement chunk(database_, "SELECT data FROM chunks WHERE key = ?1");
    for (const FullBlock& block : full_) {
      chunk.bind(1, chunk_key(block.id, series));
      if (chunk.next()) add(block.times, chunk.bytes(0), sums);
      if (auto read = chunk.outcome(); !read) return read;
      chunk.again();
    }
    return {};
  }

  void add(const std::vector<int64_t>& times, std::string_view chunk, StepSums& sums) {
    if (chunk.empty() || times.empty() || times.back() < first_ - kCoarseMs) return;
    if (!decode_chunk(chunk, times.size(), values_)) database_.found_unreadable();
    for (size_t i = 0; i < values_.size(); ++i) {
      if (std::isnan(values_[i])) continue;
      if (times[i] < plan_.coarse_before) {
        sums.stand_at(times[i], values_[i]);
      } else {
        sums.add(times[i], values_[i]);
      }
    }
  }

  Database& database_;
  const Plan& plan_;
  const Memory& memory_;
  int64_t first_;
  int64_t end_;
  std::vector<CoarseBlock> coarse_;
  std::vector<FullBlock> full_;
  std::vector<StepSum> bins_;
  std::vector<double> values_;
};

bool has_any(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double v) { return !std::isnan(v); });
}

// A rate of what never was a counter is a mistake of the asker's.
Result<> check_kinds(std::span<const SeriesRow> rows, Aggregate aggregate) {
  if (aggregate != Aggregate::rate) return {};
  for (const SeriesRow& row : rows) {
    if (counts_up(row.identity.kind)) continue;
    const auto is_counter_of_name = [&](const SeriesRow& other) {
      return other.identity.metric == row.identity.metric && counts_up(other.identity.kind);
    };
    if (std::ranges::any_of(rows, is_counter_of_name)) continue;
    return fail(row.identity.metric + " is no counter",
                "ask for mean, min, max or last; rate is of counters");
  }
  return {};
}

}  // namespace

tl::expected<SeriesAnswer, QueryError> read_ranges(Database& database, const Memory& memory,
                                                   const SeriesQuery& query) {
  const auto plan = make_plan(database, memory, query);
  if (!plan) return tl::unexpected(plan.error());
  const StepGrid& grid = plan->grid;
  auto rows = find_series(database, memory, query.metrics, query.matchers);
  if (!rows) return tl::unexpected(rows.error());
  if (auto sound = check_kinds(*rows, query.aggregate); !sound) {
    return tl::unexpected(QueryError(sound.error(), QueryError::Cause::question));
  }
  if (query.aggregate == Aggregate::rate) {
    // Of a name that was a gauge once.
    std::erase_if(*rows, [](const SeriesRow& row) { return !counts_up(row.identity.kind); });
  }
  std::erase_if(*rows, [&](const SeriesRow& row) {
    return (row.last != 0 && row.last < to_ms(grid.first)) || row.first >= to_ms(grid.end());
  });

  SeriesAnswer answer;
  answer.first = grid.first;
  answer.step = grid.step;
  answer.steps = grid.steps;
  const size_t limit = std::min(query.limit, kMaxPoints / std::max<size_t>(grid.steps, 1));
  RangeReader reader(database, memory, *plan);
  size_t next = 0;
  while (next < rows->size() && answer.rows.size() < limit) {
    const size_t count = std::min({kAtOnce, rows->size() - next, limit - answer.rows.size()});
    const auto part = std::span(*rows).subspan(next, count);
    auto sums = reader.read(part);
    if (!sums) return tl::unexpected(sums.error());
    for (size_t i = 0; i < count; ++i) {
      std::vector<double> values = (*sums)[i].values(query.aggregate);
      if (!has_any(values)) continue;
      SeriesIdentity& identity = part[i].identity;
      answer.rows.push_back({std::move(identity.metric), std::move(identity.unit), identity.kind,
                             std::move(identity.attributes), std::move(values)});
    }
    next += count;
  }
  answer.left_out = rows->size() - next;
  return answer;
}

}  // namespace warpsight
