#include "history/packing.h"

#include "history/predictor.h"

namespace warpsight {
namespace {

constexpr int64_t kLatest = int64_t{1} << 53;

}  // namespace

void pack_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

void pack_text(std::string& out, std::string_view text) {
  pack_number(out, text.size());
  out += text;
}

uint64_t Unpacker::number() {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    number |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
  failed_ = true;
  rest_ = {};
  return 0;
}

size_t Unpacker::count() {
  const uint64_t count = number();
  if (count <= rest_.size()) return count;
  failed_ = true;
  rest_ = {};
  return 0;
}

std::string_view Unpacker::text() {
  const size_t size = count();
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

void pack_times(std::string& out, const std::vector<int64_t>& times) {
  pack_number(out, times.size());
  int64_t last = 0;
  int64_t distance = 0;
  for (const int64_t time : times) {
    pack_number(out, zigzag(time - last - distance));
    distance = last == 0 ? 0 : time - last;
    last = time;
  }
}

bool unpack_times(Unpacker& in, size_t most, std::vector<int64_t>& out) {
  out.clear();
  const size_t count = in.count();
  if (count > most) return false;
  int64_t last = 0;
  int64_t distance = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t change = unzigzag(in.number());
    if (in.failed() || change > kLatest || change < -kLatest) return false;
    const int64_t time = last + distance + change;
    if (time <= last || time > kLatest) return false;
    distance = last == 0 ? 0 : time - last;
    last = time;
    out.push_back(time);
  }
  return true;
}

}  // namespace warpsight
