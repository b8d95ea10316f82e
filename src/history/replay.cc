#include "history/replay.h"

#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpsight {
namespace {

class Replay {
 public:
  Replay(Database& database, Memory& memory) : database_(database), memory_(memory) {}

  Result<> run() {
    const auto newest = database_.number("SELECT last FROM blocks ORDER BY id DESC LIMIT 1");
    if (!newest) return tl::unexpected(newest.error());
    last_time_ = *newest;
    Statement rows(database_,
                   "SELECT block, data FROM recent WHERE block > "
                   "(SELECT coalesce(max(id), 0) FROM blocks) ORDER BY id");
    while (rows.next()) {
      if (!decode_batch(rows.bytes(1), batch_) || !decode_columns()) {
        database_.found_unreadable();
        continue;
      }
      append(rows.number(0));
    }
    return rows.outcome();
  }

 private:
  struct Column {
    uint32_t series;
    Precision precision;
    std::vector<double> values;
  };

  std::optional<Precision> precision_of_series(uint32_t series) {
    const auto known = precisions_.find(series);
    if (known != precisions_.end()) return known->second;
    Statement kind(database_, "SELECT kind FROM series WHERE id = ?1");
    if (!kind.bind(1, series).next()) return std::nullopt;
    return precisions_[series] = precision_of(static_cast<MetricKind>(kind.number(0)));
  }

  bool decode_columns() {
    columns_.clear();
    for (const FrameBatch::Column& packed : batch_.columns) {
      const auto precision = precision_of_series(packed.series);
      if (!precision) continue;
      Column& column = columns_.emplace_back(packed.series, *precision);
      if (!decode_chunk(packed.chunk, batch_.times.size(), column.values)) return false;
    }
    return true;
  }

  void append(int64_t block) {
    for (size_t frame = 0; frame < batch_.times.size(); ++frame) {
      if (batch_.times[frame] <= last_time_) continue;
      last_time_ = batch_.times[frame];
      const auto& blocks = memory_.blocks();
      const bool fresh = blocks.empty() || blocks.back().id() < block || blocks.back().full();
      if (fresh)
        memory_.add_block(blocks.empty() ? block : std::max(block, blocks.back().id() + 1));
      memory_.change_newest([&](Block& newest) { append_frame(newest, frame); });
    }
  }

  void append_frame(Block& newest, size_t frame) {
    newest.begin_frame(last_time_);
    for (const Column& column : columns_) {
      if (frame >= column.values.size() || std::isnan(column.values[frame])) continue;
      newest.append(column.series, column.precision, column.values[frame]);
    }
  }

  Database& database_;
  Memory& memory_;
  int64_t last_time_ = 0;
  FrameBatch batch_;
  std::vector<Column> columns_;
  std::unordered_map<uint32_t, Precision> precisions_;
};

}  // namespace

Result<> replay(Database& database, Memory& memory) { return Replay(database, memory).run(); }

}  // namespace warpsight
