// The values of one series over the frames of a block, a few bits each: runs of equal values and of
// absent ones are counted, others are differences from a guess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/bit_stream.h"
#include "history/predictor.h"
#include "history/value_unit.h"

namespace warpsight {

inline constexpr size_t kMaxFrames = 4096;  // of one chunk

class ChunkEncoder {
 public:
  explicit ChunkEncoder(Precision precision) : precision_(precision) {}

  // Frames in rising order; those left out are absent. False for a frame that is not newer than the
  // last and for a value that is no number: they are ignored.
  bool append(size_t frame, double value);

  // Appends the chunk as it is now; more may be appended afterwards.
  void write_to(std::string& out) const;

  uint32_t samples() const { return samples_; }
  // About as many bytes as write_to() appends.
  size_t size() const { return bits_.size() + 4; }

 private:
  void end_run();
  void put_value(double value);

  BitWriter bits_;
  Predictor predictor_;
  double last_ = 0;
  uint32_t frames_ = 0;  // told or counted in run_
  uint32_t run_ = 0;     // repeats of last_ that are not told yet
  uint32_t samples_ = 0;
  ValueUnit unit_ = 0;
  Precision precision_;
};

// Replaces `out`: one value a frame, NaN where there is none. False when the bytes are no chunk of
// at most `frames`; `out` is empty then.
bool decode_chunk(std::string_view bytes, size_t frames, std::vector<double>& out);

}  // namespace warpsight
