// Pieces of protobuf's wire format, appended to a string its caller keeps. Every length is written
// in as few bytes as it needs, so a message's size can be told before it is written.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace warpsight {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// Of fields below 16, whose tag is one byte; no others are written.
constexpr char tag_of(uint32_t field, WireType type) {
  return static_cast<char>(field << 3 | static_cast<uint32_t>(type));
}
constexpr char bytes_tag(uint32_t field) { return tag_of(field, WireType::bytes); }
constexpr char fixed64_tag(uint32_t field) { return tag_of(field, WireType::fixed64); }
constexpr char varint_tag(uint32_t field) { return tag_of(field, WireType::varint); }

constexpr size_t varint_size(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Of a field of bytes: tag, length and the bytes.
constexpr size_t framed_size(size_t bytes) { return 1 + varint_size(bytes) + bytes; }

constexpr uint32_t zigzag(int32_t value) {
  return static_cast<uint32_t>(value) << 1 ^ static_cast<uint32_t>(value >> 31);
}

inline constexpr size_t kVarintBytes = 10;

// At most kVarintBytes. Returns the end.
inline char* write_varint(char* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}
inline void append_varint(std::string& out, uint64_t value) {
  char text[kVarintBytes];
  out.append(text, write_varint(text, value));
}

// Little-endian, as on the wire. Returns the end.
inline char* write_fixed64(char* out, uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  std::memcpy(out, &value, sizeof value);
  return out + sizeof value;
}
inline void append_fixed64(std::string& out, uint64_t value) {
  char text[8];
  write_fixed64(text, value);
  out.append(text, sizeof text);
}
inline void append_double(std::string& out, double value) {
  append_fixed64(out, std::bit_cast<uint64_t>(value));
}

// Whole fields. They return the end.
inline char* write_varint_field(char* out, uint32_t field, uint64_t value) {
  *out++ = varint_tag(field);
  return write_varint(out, value);
}
inline char* write_double_field(char* out, uint32_t field, double value) {
  *out++ = fixed64_tag(field);
  return write_fixed64(out, std::bit_cast<uint64_t>(value));
}

// Tag and length; at most eleven bytes. Returns the end.
inline char* write_frame(char* out, char tag, size_t size) {
  *out++ = tag;
  return write_varint(out, size);
}
inline char* write_text(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}
inline void append_frame(std::string& out, char tag, size_t size) {
  char text[1 + kVarintBytes];
  out.append(text, write_frame(text, tag, size));
}
inline void append_bytes(std::string& out, char tag, std::string_view bytes) {
  append_frame(out, tag, bytes.size());
  out += bytes;
}

}  // namespace warpsight
