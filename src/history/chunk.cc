#include "history/chunk.h"

#include <cmath>
#include <limits>

namespace warpsight {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// What follows is told by ones before a zero.
enum Token : unsigned { kValue = 0, kRepeat = 1, kGap = 2, kUnit = 3, kLiteral = 4 };
constexpr unsigned kTokens = 4;  // as many ones need no zero behind them

constexpr unsigned kMostUnary = 20;
constexpr unsigned kWidthBits = 7;
static_assert(kMaxFrames <= UINT16_MAX);

void put_token(BitWriter& bits, Token token) {
  const unsigned ones = (1U << token) - 1U;
  if (token == kTokens) {
    bits.put(ones, token);
  } else {
    bits.put(ones << 1, token + 1U);
  }
}

void put_number(BitWriter& bits, int64_t number) {
  const uint64_t folded = zigzag(number);
  const auto width = static_cast<unsigned>(std::bit_width(folded));
  bits.put(width, kWidthBits);
  bits.put(folded, width);
}

int64_t get_number(BitReader& bits) {
  const auto width = static_cast<unsigned>(bits.get(kWidthBits));
  return width > 64 ? 0 : unzigzag(bits.get(width));
}

void put_difference(BitWriter& bits, uint64_t difference, unsigned plain) {
  const uint64_t above = plain < 64 ? difference >> plain : 0;
  if (above >= kMostUnary) {
    bits.put((1U << kMostUnary) - 1U, kMostUnary);
    bits.put(difference, 64);
    return;
  }
  const auto ones = static_cast<unsigned>(above);
  bits.put(((uint64_t{1} << ones) - 1) << 1, ones + 1);
  bits.put(difference, plain);
}

uint64_t get_difference(BitReader& bits, unsigned plain) {
  const uint64_t above = bits.get_ones(kMostUnary);
  if (above == kMostUnary) return bits.get(64);
  return (plain < 64 ? above << plain : 0) | bits.get(plain);
}

int64_t wrapped_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

class ChunkDecoder {
 public:
  ChunkDecoder(std::string_view bytes, std::vector<double>& out) : bits_(bytes), out_(out) {}

  bool decode(size_t most) {
    out_.clear();
    const uint64_t low = bits_.get(8);
    const uint64_t frames = low | (bits_.get(8) << 8U);
    if (frames > most) return false;
    out_.reserve(frames);
    while (out_.size() < frames) {
      if (!read_token(frames - out_.size()) || bits_.failed()) return false;
    }
    return true;
  }

 private:
  bool read_token(size_t room) {
    switch (bits_.get_ones(kTokens)) {
      case kValue: {
        if (!has_unit_) return false;
        const int64_t difference = unzigzag(get_difference(bits_, predictor_.plain_bits()));
        const int64_t number = wrapped_sum(predictor_.next(), difference);
        predictor_.take(number);
        return add(from_unit(number, unit_));
      }
      case kRepeat: return has_value_ && add_run(last_, room);
      case kGap: return add_run(kAbsent, room);
      case kUnit: {
        unit_ = static_cast<ValueUnit>(bits_.get(kUnitBits));
        const int64_t number = get_number(bits_);
        if (unit_ >= kUnits) return false;
        has_unit_ = true;
        predictor_.begin(number);
        return add(from_unit(number, unit_));
      }
      default: return add(std::bit_cast<double>(bits_.get(64)));
    }
  }

  bool add(double value) {
    if (!std::isfinite(value)) return false;
    last_ = value;
    has_value_ = true;
    out_.push_back(value);
    return true;
  }

  bool add_run(double value, size_t room) {
    const uint64_t count = bits_.get_gamma();
    if (count > room) return false;
    out_.insert(out_.end(), count, value);
    return true;
  }

  BitReader bits_;
  std::vector<double>& out_;
  Predictor predictor_;
  double last_ = 0;
  ValueUnit unit_ = 0;
  bool has_unit_ = false;
  bool has_value_ = false;
};

}  // namespace

bool ChunkEncoder::append(size_t frame, double value) {
  if (frame < frames_ || frame >= kMaxFrames || !std::isfinite(value)) return false;
  if (frame > frames_) {
    end_run();
    put_token(bits_, kGap);
    bits_.put_gamma(frame - frames_);
  }
  if (samples_ > 0 && value == last_) {
    ++run_;
  } else {
    end_run();
    put_value(value);
  }
  ++samples_;
  frames_ = static_cast<uint32_t>(frame + 1);
  return true;
}

void ChunkEncoder::end_run() {
  if (run_ == 0) return;
  put_token(bits_, kRepeat);
  bits_.put_gamma(run_);
  run_ = 0;
}

void ChunkEncoder::put_value(double value) {
  last_ = value;
  if (samples_ > 0) {
    if (const auto number = in_unit(value, unit_, precision_)) {
      put_token(bits_, kValue);
      put_difference(bits_, zigzag(wrapped_difference(*number, predictor_.next())),
                     predictor_.plain_bits());
      predictor_.take(*number);
      return;
    }
  }
  const auto finer = find_unit(value, samples_ > 0 ? unit_ : 0, precision_);
  if (!finer) {
    put_token(bits_, kLiteral);
    bits_.put(std::bit_cast<uint64_t>(value), 64);
    return;
  }
  const int64_t number = in_unit(value, *finer, precision_).value_or(0);
  unit_ = *finer;
  put_token(bits_, kUnit);
  bits_.put(unit_, kUnitBits);
  put_number(bits_, number);
  predictor_.begin(number);
}

void ChunkEncoder::write_to(std::string& out) const {
  out.push_back(static_cast<char>(frames_ & 0xFFU));
  out.push_back(static_cast<char>(frames_ >> 8U));
  BitWriter all = bits_;
  if (run_ > 0) {
    put_token(all, kRepeat);
    all.put_gamma(run_);
  }
  all.append_to(out);
}

bool decode_chunk(std::string_view bytes, size_t frames, std::vector<double>& out) {
  if (ChunkDecoder(bytes, out).decode(std::min(frames, kMaxFrames))) return true;
  out.clear();
  return false;
}

}  // namespace warpsight
