#include "runtime/spool_record.h"

#include <zlib.h>

#include <cstring>

namespace warpsight {
namespace {

// What the header's own checksum covers begins after it.
constexpr size_t kChecksumAt = 4;
constexpr size_t kCovered = 8;

struct Layout {
  char magic[4];
  uint32_t header_checksum;
  uint32_t length;
  uint32_t points;
  uint32_t checksum;
  uint8_t kind;
  uint8_t unused[3];
  uint64_t sequence;
  int64_t time;
};
static_assert(sizeof(Layout) == kRecordHeaderSize);
static_assert(offsetof(Layout, header_checksum) == kChecksumAt);
static_assert(offsetof(Layout, length) == kCovered);

}  // namespace

uint32_t checksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

RecordHeader header_of(const SpoolEntry& entry) {
  const Message& message = entry.message;
  return {.length = static_cast<uint32_t>(message.bytes.size()),
          .points = message.points,
          .checksum = checksum(message.bytes),
          .kind = message.kind,
          .sequence = entry.sequence,
          .time = entry.time};
}

RecordHeaderBytes encode_header(const RecordHeader& header) {
  Layout layout{};
  std::memcpy(layout.magic, kRecordMagic.data(), sizeof layout.magic);
  layout.length = header.length;
  layout.points = header.points;
  layout.checksum = header.checksum;
  layout.kind = header.kind;
  layout.sequence = header.sequence;
  layout.time = header.time.time_since_epoch().count();
  RecordHeaderBytes bytes{};
  std::memcpy(bytes.data(), &layout, sizeof layout);
  const uint32_t covered = checksum({bytes.data() + kCovered, bytes.size() - kCovered});
  std::memcpy(bytes.data() + kChecksumAt, &covered, sizeof covered);
  return bytes;
}

std::optional<RecordHeader> decode_header(std::string_view bytes) {
  if (bytes.size() < kRecordHeaderSize || !bytes.starts_with(kRecordMagic)) return std::nullopt;
  bytes = bytes.substr(0, kRecordHeaderSize);
  Layout layout{};
  std::memcpy(&layout, bytes.data(), sizeof layout);
  if (layout.header_checksum != checksum(bytes.substr(kCovered))) return std::nullopt;
  if (layout.length > kLargestMessage || layout.sequence > kLastSequence) return std::nullopt;
  return RecordHeader{.length = layout.length,
                      .points = layout.points,
                      .checksum = layout.checksum,
                      .kind = layout.kind,
                      .sequence = layout.sequence,
                      .time = Time{Duration{layout.time}}};
}

}  // namespace warpsight
