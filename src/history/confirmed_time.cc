#include "history/confirmed_time.h"

#include <vector>

#include "history/chunk.h"
#include "history/packing.h"

namespace warpsight {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kJumpMs = 60 * kMinuteMs;
constexpr int64_t kConfirmedMs = 10 * kMinuteMs;
constexpr uint32_t kConfirmedFrames = 3;

}  // namespace

bool ConfirmedTime::goes_on_from_jump(int64_t time) const {
  return frames_ > 0 && time > last_ && time - last_ <= kJumpMs;
}

void ConfirmedTime::see(int64_t time) {
  if (value_ == 0 || time - value_ <= kJumpMs) {
    value_ = time > value_ ? time : value_;
    frames_ = 0;
    return;
  }
  if (!goes_on_from_jump(time)) {
    frames_ = 0;
    jumped_to_ = time;
  }
  ++frames_;
  last_ = time;
  if (frames_ >= kConfirmedFrames && last_ - jumped_to_ >= kConfirmedMs) {
    value_ = time;
    frames_ = 0;
  }
}

Result<ConfirmedTime> confirmed_time_of(Database& database, const Memory& memory) {
  ConfirmedTime confirmed;
  std::vector<int64_t> times;
  Statement blocks(database, "SELECT times FROM blocks ORDER BY id");
  while (blocks.next()) {
    Unpacker in(blocks.bytes(0));
    if (!unpack_times(in, kMaxFrames, times)) continue;
    for (const int64_t time : times) confirmed.see(time);
  }
  if (auto read = blocks.outcome(); !read) return tl::unexpected(read.error());
  for (const Block& block : memory.blocks()) {
    for (const int64_t time : block.times()) confirmed.see(time);
  }
  return confirmed;
}

}  // namespace warpsight
