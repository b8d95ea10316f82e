#include "wire/otlp/proto_reader.h"

#include <algorithm>

namespace warpsight::otlp {
namespace {

bool take_fixed(std::string_view& bytes, size_t size, uint64_t& value) {
  if (bytes.size() < size) return false;
  value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  }
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

bool take_varint(std::string_view& bytes, uint64_t& value) {
  constexpr size_t kLongest = 10;
  value = 0;
  for (size_t i = 0; i < std::min(bytes.size(), kLongest); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7fU} << 7 * i;
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool take_fixed64(std::string_view& bytes, uint64_t& value) { return take_fixed(bytes, 8, value); }

bool FieldReader::next(Field& field) {
  if (rest_.empty() || broken_) return false;
  const std::string_view before = rest_;
  uint64_t tag = 0;
  if (!take_varint(rest_, tag) || tag > UINT32_MAX || tag >> 3 == 0) return stop();
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  field.value = 0;
  field.bytes = {};
  switch (field.type) {
    case WireType::varint:
      if (!take_varint(rest_, field.value)) return stop();
      break;
    case WireType::fixed64:
      if (!take_fixed(rest_, 8, field.value)) return stop();
      break;
    case WireType::fixed32:
      if (!take_fixed(rest_, 4, field.value)) return stop();
      break;
    case WireType::bytes: {
      uint64_t size = 0;
      if (!take_varint(rest_, size) || size > rest_.size()) return stop();
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      break;
    }
    default: return stop();
  }
  field.whole = before.substr(0, before.size() - rest_.size());
  return true;
}

}  // namespace warpsight::otlp
