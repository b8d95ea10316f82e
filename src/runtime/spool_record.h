// How a message stands in a segment of the spool: a header of fixed size, then its bytes. Both have
// a checksum, so that headers can be walked without reading what lies between them. The layout is
// the machine's own: a spool is read where it was written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/clock.h"
#include "runtime/sink.h"

namespace warpsight {

// A message and its place in the order of all messages of a sink.
struct SpoolEntry {
  uint64_t sequence = 0;
  Time time{};  // of what it tells
  Message message;
};

struct RecordHeader {
  uint32_t length = 0;  // of the bytes that follow
  uint32_t points = 0;
  uint32_t checksum = 0;  // of the bytes that follow
  uint8_t kind = 0;
  uint64_t sequence = 0;
  Time time{};
};

inline constexpr size_t kRecordHeaderSize = 40;
inline constexpr size_t kLargestMessage = size_t{64} << 20;
// Not reached by counting: a higher number is damage.
inline constexpr uint64_t kLastSequence = uint64_t{1} << 60;
inline constexpr std::string_view kRecordMagic = "\x89WSR";

using RecordHeaderBytes = std::array<char, kRecordHeaderSize>;

RecordHeader header_of(const SpoolEntry& entry);
RecordHeaderBytes encode_header(const RecordHeader& header);

// Of the first kRecordHeaderSize bytes; nullopt when they are no header, or a damaged one.
std::optional<RecordHeader> decode_header(std::string_view bytes);

uint32_t checksum(std::string_view bytes);

}  // namespace warpsight
