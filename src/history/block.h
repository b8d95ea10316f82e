// Some frames in memory, compressed as they come: the block that is being filled, those that wait
// to be written, and what a flush writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/chunk.h"

namespace warpsight {

// A block is full after so many frames, or after so long.
inline constexpr size_t kBlockFrames = 360;
inline constexpr int64_t kBlockMs = 2LL * 60 * 60 * 1000;
static_assert(kBlockFrames <= kMaxFrames);

class Block {
 public:
  struct Column {
    uint32_t series;
    ChunkEncoder values;
  };

  explicit Block(int64_t id = 0) : id_(id) {}

  int64_t id() const { return id_; }
  const std::vector<int64_t>& times() const { return times_; }
  const std::vector<Column>& columns() const { return columns_; }
  bool empty() const { return times_.empty(); }
  bool full() const;
  uint64_t samples() const;

  // Values appended from now on are of this time, in milliseconds, later than those before.
  void begin_frame(int64_t time) { times_.push_back(time); }
  // False: the series has a value of this time already, or this is no number.
  bool append(uint32_t series, Precision precision, double value);

  bool has(uint32_t series) const { return index_.contains(series); }
  // Appends the chunk of a series; false when it has none here.
  bool write_chunk(uint32_t series, std::string& out) const;

  // By number, as the database wants them.
  void sort_columns();

 private:
  int64_t id_;
  std::vector<int64_t> times_;
  std::vector<Column> columns_;
  std::unordered_map<uint32_t, uint32_t> index_;  // of columns_, by series
};

// The frames of a flush as one record, for a row of its own until their block is written.
std::string encode_batch(const Block& frames);

struct FrameBatch {
  struct Column {
    uint32_t series;
    std::string_view chunk;
  };
  std::vector<int64_t> times;
  std::string bytes;  // what the columns point into
  std::vector<Column> columns;
};

// False when the bytes are no batch.
bool decode_batch(std::string_view bytes, FrameBatch& out);

}  // namespace warpsight
