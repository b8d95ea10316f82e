#include "history/block.h"

#include <algorithm>

#include "history/packing.h"
#include "wire/zstd.h"

namespace warpsight {
namespace {

constexpr size_t kLargestBatch = size_t{64} << 20;

}  // namespace

bool Block::full() const {
  return times_.size() >= kBlockFrames ||
         (!times_.empty() && times_.back() - times_.front() >= kBlockMs);
}

uint64_t Block::samples() const {
  uint64_t samples = 0;
  for (const Column& column : columns_) samples += column.values.samples();
  return samples;
}

bool Block::append(uint32_t series, Precision precision, double value) {
  const auto [place, fresh] = index_.try_emplace(series, static_cast<uint32_t>(columns_.size()));
  if (fresh) columns_.push_back({series, ChunkEncoder(precision)});
  return columns_[place->second].values.append(times_.size() - 1, value);
}

bool Block::write_chunk(uint32_t series, std::string& out) const {
  const auto found = index_.find(series);
  if (found == index_.end()) return false;
  columns_[found->second].values.write_to(out);
  return true;
}

void Block::sort_columns() {
  std::ranges::sort(columns_, {}, &Column::series);
  for (uint32_t i = 0; i < columns_.size(); ++i) index_[columns_[i].series] = i;
}

std::string encode_batch(const Block& frames) {
  std::vector<const Block::Column*> columns;
  columns.reserve(frames.columns().size());
  for (const Block::Column& column : frames.columns()) columns.push_back(&column);
  std::ranges::sort(columns, {}, [](const Block::Column* column) { return column->series; });

  std::string plain;
  std::string chunk;
  pack_times(plain, frames.times());
  uint32_t last = 0;
  for (const Block::Column* column : columns) {
    pack_number(plain, column->series - last);
    last = column->series;
    chunk.clear();
    column->values.write_to(chunk);
    pack_text(plain, chunk);
  }
  std::string packed;
  ZstdEncoder().encode(plain, packed);
  return packed;
}

bool decode_batch(std::string_view bytes, FrameBatch& out) {
  out.columns.clear();
  auto plain = zstd_decode(bytes, kLargestBatch);
  if (!plain) return false;
  out.bytes = std::move(*plain);
  Unpacker in(out.bytes);
  if (!unpack_times(in, kMaxFrames, out.times)) return false;
  uint64_t series = 0;
  while (!in.done()) {
    series += in.number();
    const std::string_view chunk = in.text();
    if (in.failed() || series > UINT32_MAX) return false;
    out.columns.push_back({static_cast<uint32_t>(series), chunk});
  }
  return !in.failed();
}

}  // namespace warpsight
