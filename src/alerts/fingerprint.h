// Numbers that stand for attribute sets: the same on every run and every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entity.h"

namespace warpsight::alerts {

// FNV-1a over texts; where one ends and the next begins counts.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(kEnd);
    return *this;
  }
  uint64_t value() const { return value_; }

 private:
  static constexpr unsigned kEnd = 0xff;  // no byte of UTF-8
  void step(unsigned byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  uint64_t value_ = 0xcbf29ce484222325ULL;
};

// Of attributes that are sorted by key.
inline uint64_t fingerprint(std::span<const Attribute> attributes) {
  Fingerprint print;
  for (const Attribute& a : attributes) print.add(a.key).add(a.value);
  return print.value();
}

// Those of `keys` that are there, in that order.
std::vector<Attribute> chosen(std::span<const Attribute> attributes,
                              std::span<const std::string> keys);

}  // namespace warpsight::alerts
