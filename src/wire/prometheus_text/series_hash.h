// A fast 64-bit hash of a series' bytes. Not for secrets: what it finds is compared byte by byte.
// The seed keeps a page from choosing series that all fall into one place.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpsight::prometheus_text {

namespace detail {

__extension__ using Product = unsigned __int128;

inline uint64_t fold(uint64_t a, uint64_t b) {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

inline uint64_t load64(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline uint64_t load_tail(const char* at, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, at, size);
  return word;
}

}  // namespace detail

inline uint64_t series_hash(std::string_view bytes, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  constexpr uint64_t kSecond = 0xd6e8feb86659fd93;
  constexpr size_t kStep = 16;
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = seed ^ detail::fold(bytes.size() ^ kOdd, seed ^ kSecond);
  for (; left > kStep; left -= kStep, at += kStep) {
    hash = detail::fold(detail::load64(at) ^ kOdd ^ hash, detail::load64(at + 8) ^ kSecond ^ seed) ^
           (hash * kOdd);
  }
  const uint64_t first = left >= 8 ? detail::load64(at) : detail::load_tail(at, left);
  const uint64_t last = left > 8 ? detail::load_tail(at + 8, left - 8) : 0;
  hash = detail::fold(first ^ kOdd ^ hash, last ^ kSecond ^ seed) ^ (hash * kOdd);
  return detail::fold(hash ^ kOdd, kSecond);
}

}  // namespace warpsight::prometheus_text
