#include "history/coarsen.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "history/chunk.h"
#include "history/coarse_chunk.h"
#include "history/identity.h"
#include "history/packing.h"
#include "history/store.h"

namespace warpsight {
namespace {

struct SourceBlock {
  int64_t id;
  std::vector<int64_t> times;
};

// One coarse block in the making.
class Coarsening {
 public:
  Coarsening(Database& database, int64_t id, int64_t first, size_t bins)
      : database_(database), id_(id), first_(first), bins_(bins) {}

  Result<> run(uint64_t transaction_bytes) {
    if (auto loaded = load_blocks(); !loaded) return loaded;
    if (auto listed = list_series(); !listed) return listed;
    size_t next = 0;
    do {
      Transaction transaction(database_, Transaction::Kind::write);
      if (!transaction.begun()) return transaction.begun();
      const uint64_t enough = bytes_ + transaction_bytes;
      for (; next < series_.size() && bytes_ < enough; ++next) {
        if (auto made = make(series_[next]); !made) return made;
      }
      if (next == series_.size()) {
        if (auto told = tell(); !told) return told;
      }
      if (auto committed = transaction.commit(); !committed) return committed;
    } while (next < series_.size());
    return {};
  }

 private:
  int64_t end() const { return first_ + static_cast<int64_t>(bins_) * kCoarseMs; }

  Result<> load_blocks() {
    Statement blocks(database_,
                     "SELECT id, times FROM blocks WHERE last >= ?1 AND first < ?2 ORDER BY id");
    blocks.bind(1, first_ - kLongestGapMs).bind(2, end());
    while (blocks.next()) {
      SourceBlock block{blocks.number(0), {}};
      Unpacker in(blocks.bytes(1));
      if (unpack_times(in, kMaxFrames, block.times)) {
        blocks_.push_back(std::move(block));
      } else {
        database_.found_unreadable();
      }
    }
    return blocks.outcome();
  }

  Result<> list_series() {
    Statement keys(database_, "SELECT key FROM chunks WHERE key >= ?1 AND key < ?2");
    for (const SourceBlock& block : blocks_) {
      keys.bind(1, chunk_key(block.id, 0)).bind(2, chunk_key(block.id + 1, 0));
      while (keys.next()) series_.push_back(static_cast<uint32_t>(keys.number(0) & UINT32_MAX));
      if (auto read = keys.outcome(); !read) return read;
      keys.again();
      std::ranges::sort(series_);
      const auto twice = std::ranges::unique(series_);
      series_.erase(twice.begin(), twice.end());
    }
    return {};
  }

  Result<> make(uint32_t series) {
    StepSums sums(first_, kCoarseMs, bins_);
    Statement chunk(database_, "SELECT data FROM chunks WHERE key = ?1");
    for (const SourceBlock& block : blocks_) {
      chunk.bind(1, chunk_key(block.id, series));
      if (chunk.next()) {
        if (!decode_chunk(chunk.bytes(0), block.times.size(), values_)) {
          database_.found_unreadable();
        }
        for (size_t i = 0; i < values_.size(); ++i) {
          if (!std::isnan(values_[i])) sums.add(block.times[i], values_[i]);
        }
      }
      if (auto read = chunk.outcome(); !read) return read;
      chunk.again();
    }
    Statement kind(database_, "SELECT kind FROM series WHERE id = ?1");
    if (!kind.bind(1, series).next()) return kind.outcome();
    std::string data;
    if (!encode_coarse(sums.sums(), static_cast<MetricKind>(kind.number(0)), data)) return {};
    bytes_ += data.size();
    Statement insert(database_, "INSERT OR REPLACE INTO coarse(key, data) VALUES(?1, ?2)");
    return insert.bind(1, chunk_key(id_, series)).bind_bytes(2, data).run();
  }

  Result<> tell() {
    Statement insert(database_,
                     "INSERT INTO coarse_blocks(id, first, bins, bytes) VALUES(?1, ?2, ?3, ?4)");
    insert.bind(1, id_).bind(2, first_ / kCoarseMs).bind(3, static_cast<int64_t>(bins_));
    return insert.bind(4, static_cast<int64_t>(bytes_)).run();
  }

  Database& database_;
  int64_t id_;
  int64_t first_;
  size_t bins_;
  std::vector<SourceBlock> blocks_;
  std::vector<uint32_t> series_;
  std::vector<double> values_;
  uint64_t bytes_ = 0;
};

int64_t whole_bins(int64_t time) { return time - time % kCoarseMs; }

}  // namespace

Result<int64_t> coarse_until(Database& database) {
  auto bins = database.number("SELECT first + bins FROM coarse_blocks ORDER BY id DESC LIMIT 1");
  if (!bins) return bins;
  if (*bins > 0) return *bins * kCoarseMs;
  auto first = database.number("SELECT first FROM blocks ORDER BY id LIMIT 1");
  if (!first) return first;
  return whole_bins(*first);
}

Result<> coarsen(Database& database, uint64_t transaction_bytes) {
  const auto last = database.number("SELECT last FROM blocks ORDER BY id DESC LIMIT 1");
  if (!last) return tl::unexpected(last.error());
  const int64_t end = whole_bins(*last);
  for (;;) {
    const auto until = coarse_until(database);
    if (!until) return tl::unexpected(until.error());
    Statement next(database, "SELECT first FROM blocks WHERE last >= ?1 ORDER BY id LIMIT 1");
    if (!next.bind(1, *until).next()) return next.outcome();
    const int64_t first = std::max(*until, whole_bins(next.number(0)));
    next.again();
    if (first >= end) return {};
    const auto known = database.number("SELECT max(id) FROM coarse_blocks");
    if (!known) return tl::unexpected(known.error());
    const auto bins = std::min<size_t>(static_cast<size_t>((end - first) / kCoarseMs), kMaxBins);
    if (auto made = Coarsening(database, *known + 1, first, bins).run(transaction_bytes); !made) {
      return made;
    }
  }
}

}  // namespace warpsight
