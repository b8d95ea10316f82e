// Walks over the fields of one protobuf message. The bytes may be anybody's.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/proto_writer.h"

namespace warpsight::otlp {

struct Field {
  uint32_t number = 0;
  WireType type{};
  uint64_t value = 0;      // of a varint or fixed field
  std::string_view bytes;  // of a field of bytes
  std::string_view whole;  // tag and all
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  // False at the end, and at bytes that are no field.
  bool next(Field& field);
  bool broken() const { return broken_; }

 private:
  bool stop() {
    broken_ = true;
    return false;
  }

  std::string_view rest_;
  bool broken_ = false;
};

// Takes a number off the front of `bytes`; false when there is none.
bool take_varint(std::string_view& bytes, uint64_t& value);
bool take_fixed64(std::string_view& bytes, uint64_t& value);

}  // namespace warpsight::otlp
