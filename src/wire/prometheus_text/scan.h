// Where the next byte of interest is. Sixteen bytes at a time where the processor has SSE2, which
// every x86-64 has; one by one elsewhere and within the last bytes of the body. Nothing reads at or
// past `end`.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace warpsight::prometheus_text {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_blank(*at)) ++at;
  return at;
}

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline const char* find_newline(const char* at, const char* end) {
  const void* found = std::memchr(at, '\n', static_cast<size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

// A line ends with "\n", "\r\n" or the body.
inline bool at_line_end(const char* at, const char* end) {
  if (at == end || *at == '\n') return true;
  return *at == '\r' && (at + 1 == end || at[1] == '\n');
}

namespace detail {

inline constexpr uint8_t kLabelByte = 1;   // may stand in a bare label name
inline constexpr uint8_t kMetricByte = 2;  // may stand in a bare metric name

inline constexpr auto kNameBytes = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || digit || c == '_') table[static_cast<size_t>(c)] = kLabelByte | kMetricByte;
  }
  table[':'] = kMetricByte;
  return table;
}();

#ifdef __SSE2__
inline constexpr int kBlock = 16;

inline __m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

inline __m128i within(__m128i bytes, char low, char high) {
  const __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
  const __m128i span = _mm_set1_epi8(static_cast<char>(high - low));
  return _mm_cmpeq_epi8(_mm_min_epu8(offset, span), offset);
}

inline uint32_t bits(__m128i mask) { return static_cast<uint32_t>(_mm_movemask_epi8(mask)); }

// Digits are 0x30 to 0x39 and ':' is 0x3a: one range holds both.
template <bool kColon>
uint32_t name_bytes(__m128i bytes) {
  const __m128i letters = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
  const __m128i digits = within(bytes, '0', kColon ? ':' : '9');
  const __m128i underscores = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
  return bits(_mm_or_si128(_mm_or_si128(letters, digits), underscores));
}
#endif

template <bool kColon>
const char* name_end(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= kBlock; at += kBlock) {
    const uint32_t others = ~name_bytes<kColon>(load(at)) & 0xffffU;
    if (others != 0) return at + std::countr_zero(others);
  }
#endif
  constexpr uint8_t kWanted = kColon ? kMetricByte : kLabelByte;
  while (at < end && (kNameBytes[static_cast<uint8_t>(*at)] & kWanted) != 0) ++at;
  return at;
}

}  // namespace detail

// Past the bytes that a bare name may have. Its first must not be a digit: the caller checks.
inline const char* metric_name_end(const char* at, const char* end) {
  return detail::name_end<true>(at, end);
}
inline const char* label_name_end(const char* at, const char* end) {
  return detail::name_end<false>(at, end);
}

// memcmp() == 0 without the call, for series: tens or hundreds of bytes.
inline bool same_bytes(const char* a, const char* b, size_t size) {
#ifdef __SSE2__
  constexpr size_t kStep = detail::kBlock;
  const auto same_block = [&](size_t at) {
    return detail::bits(_mm_cmpeq_epi8(detail::load(a + at), detail::load(b + at))) == 0xffffU;
  };
  if (size >= kStep) {
    for (size_t at = 0; at + kStep < size; at += kStep) {
      if (!same_block(at)) return false;
    }
    return same_block(size - kStep);
  }
#endif
  return std::memcmp(a, b, size) == 0;
}

// The first quote, backslash or newline, or `end`.
inline const char* find_string_byte(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= detail::kBlock; at += detail::kBlock) {
    const __m128i bytes = detail::load(at);
    const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i escapes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i newlines = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
    const uint32_t found = detail::bits(_mm_or_si128(_mm_or_si128(quotes, escapes), newlines));
    if (found != 0) return at + std::countr_zero(found);
  }
#endif
  while (at < end && *at != '"' && *at != '\\' && *at != '\n') ++at;
  return at;
}

// The quote that closes a string whose first byte is at `at`; null when the line or the body ends
// first. A backslash takes the next byte with it.
inline const char* string_end(const char* at, const char* end) {
  for (;;) {
    at = find_string_byte(at, end);
    if (at == end || *at == '\n') return nullptr;
    if (*at == '"') return at;
    if (end - at < 2 || at[1] == '\n') return nullptr;
    at += 2;
  }
}

}  // namespace warpsight::prometheus_text
