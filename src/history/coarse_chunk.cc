#include "history/coarse_chunk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "history/chunk.h"
#include "history/identity.h"
#include "history/packing.h"

namespace warpsight {
namespace {

enum Shape : uint64_t {
  kFlat = 1,     // every sample of a bin is its last one
  kCounter = 2,  // has a gain; its mean lies between least and greatest
  kHighest = 4,  // the last value of a bin is its greatest
};

using Column = std::function<double(const StepSum&)>;

double mean_of(const StepSum& bin) { return bin.sum / bin.count; }

void put_column(std::span<const StepSum> bins, Precision precision, const Column& column,
                std::string& out) {
  ChunkEncoder encoder(precision);
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].count > 0) encoder.append(i, column(bins[i]));
  }
  std::string bytes;
  encoder.write_to(bytes);
  pack_text(out, bytes);
}

class CoarseDecoder {
 public:
  CoarseDecoder(std::string_view bytes, size_t most, std::vector<StepSum>& out)
      : in_(bytes), most_(std::min(most, kMaxBins)), out_(out) {}

  bool decode() {
    out_.clear();
    const uint64_t shape = in_.number();
    if (!get_counts()) return false;
    if (!get_column([](StepSum& bin, double v) { bin.last = bin.min = bin.max = v; })) return false;
    if ((shape & kFlat) == 0 && !get_spread(shape)) return false;
    for (StepSum& bin : out_) {
      if ((shape & kFlat) != 0) bin.sum = bin.last * bin.count;
      if ((shape & kCounter) != 0) bin.sum = (bin.min + bin.max) / 2 * bin.count;
      bin.first = bin.min;
    }
    if ((shape & kCounter) == 0) return true;
    return get_column([](StepSum& bin, double v) { bin.gain = v; }) &&
           get_column([](StepSum& bin, double v) { bin.seconds = v; });
  }

 private:
  bool get_spread(uint64_t shape) {
    if (!get_column([](StepSum& bin, double v) { bin.min = v; })) return false;
    if ((shape & kHighest) == 0 && !get_column([](StepSum& bin, double v) { bin.max = v; })) {
      return false;
    }
    return (shape & kCounter) != 0 ||
           get_column([](StepSum& bin, double v) { bin.sum = v * bin.count; });
  }

  bool get_counts() {
    if (!decode_chunk(in_.text(), most_, values_)) return false;
    out_.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (std::isnan(values_[i])) continue;
      if (values_[i] < 1 || values_[i] > UINT32_MAX) return false;
      out_[i].count = static_cast<uint32_t>(values_[i]);
    }
    return true;
  }

  template <typename Set>
  bool get_column(const Set& set) {
    if (!decode_chunk(in_.text(), most_, values_) || values_.size() != out_.size()) return false;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (std::isnan(values_[i]) != (out_[i].count == 0)) return false;
      if (out_[i].count > 0) set(out_[i], values_[i]);
    }
    return true;
  }

  Unpacker in_;
  size_t most_;
  std::vector<StepSum>& out_;
  std::vector<double> values_;
};

}  // namespace

bool encode_coarse(std::span<const StepSum> bins, MetricKind kind, std::string& out) {
  const auto all = [&](auto&& holds) {
    return std::ranges::all_of(bins, [&](const StepSum& b) { return b.count == 0 || holds(b); });
  };
  if (all([](const StepSum&) { return false; })) return false;
  const bool counter = counts_up(kind);
  const bool flat = all([](const StepSum& b) { return b.min == b.max; });
  const bool highest = all([](const StepSum& b) { return b.last == b.max; });
  const auto precision = kind == MetricKind::gauge ? Precision::coarse : Precision::exact;

  uint64_t shape = 0;
  if (flat) shape |= kFlat;
  if (counter) shape |= kCounter;
  if (highest) shape |= kHighest;
  pack_number(out, shape);
  put_column(bins, Precision::exact, [](const StepSum& b) { return b.count; }, out);
  put_column(bins, precision, [](const StepSum& b) { return b.last; }, out);
  if (!flat) {
    put_column(bins, precision, [](const StepSum& b) { return b.min; }, out);
    if (!highest) put_column(bins, precision, [](const StepSum& b) { return b.max; }, out);
    if (!counter) put_column(bins, Precision::coarse, mean_of, out);
  }
  if (counter) {
    put_column(bins, Precision::fine, [](const StepSum& b) { return b.gain; }, out);
    const auto to_ms = [](const StepSum& b) { return std::round(b.seconds * 1000) / 1000; };
    put_column(bins, Precision::exact, to_ms, out);
  }
  return true;
}

bool decode_coarse(std::string_view bytes, size_t bins, std::vector<StepSum>& out) {
  if (CoarseDecoder(bytes, bins, out).decode()) return true;
  out.clear();
  return false;
}

}  // namespace warpsight
