// Labels told by what x86 processors of the last decade have. Only for one that was asked for it.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "wire/prometheus_text/label_blocks.h"

namespace warpsight::prometheus_text {

#define WARPSIGHT_AVX2 gnu::target("avx2,pclmul,bmi,bmi2")
#define WARPSIGHT_AVX512 gnu::target("avx512bw,avx2,pclmul,bmi,bmi2")

// The kinds of bytes that are told by their two halves: a byte is of each kind whose bit is in the
// row of its low half and in that of its high half.
struct HalfByteTables {
  std::array<uint8_t, 16> low{};
  std::array<uint8_t, 16> high{};

  constexpr HalfByteTables() {
    unsigned kind = 0x80;
    for (const char* bytes : {"\"", "=", ",", "}", "\\", "\n", "0123456789"}) {
      for (; *bytes != '\0'; ++bytes) {
        low[static_cast<size_t>(*bytes % 16)] |= static_cast<uint8_t>(kind);
        high[static_cast<size_t>(*bytes / 16)] |= static_cast<uint8_t>(kind);
      }
      kind /= 2;
    }
  }
};
inline constexpr HalfByteTables kHalves;

struct Avx2 {
  [[WARPSIGHT_AVX2]] static BlockMasks masks(const char* at) {
    const __m256i low = load(at);
    const __m256i high = load(at + 32);
    const __m256i low_kinds = kinds(low);
    const __m256i high_kinds = kinds(high);
    BlockMasks masks{};
    masks.letters = join(letters(low), letters(high));
    masks.quotes = join(low_kinds, high_kinds);
    masks.equals = join(_mm256_slli_epi16(low_kinds, 1), _mm256_slli_epi16(high_kinds, 1));
    masks.commas = join(_mm256_slli_epi16(low_kinds, 2), _mm256_slli_epi16(high_kinds, 2));
    masks.closes = join(_mm256_slli_epi16(low_kinds, 3), _mm256_slli_epi16(high_kinds, 3));
    masks.breaks = join(_mm256_slli_epi16(low_kinds, 4), _mm256_slli_epi16(high_kinds, 4)) |
                   join(_mm256_slli_epi16(low_kinds, 5), _mm256_slli_epi16(high_kinds, 5));
    masks.digits = join(_mm256_slli_epi16(low_kinds, 6), _mm256_slli_epi16(high_kinds, 6));
    masks.odd = prefix_xor(masks.quotes);
    return masks;
  }

  // Bit i of the answer is the parity of the bits 0 to i.
  [[WARPSIGHT_AVX2]] static uint64_t prefix_xor(uint64_t bits) {
    const __m128i all = _mm_set1_epi8(-1);
    const __m128i wide = _mm_set_epi64x(0, static_cast<int64_t>(bits));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(wide, all, 0)));
  }

  [[WARPSIGHT_AVX2]] static __m128i table(const std::array<uint8_t, 16>& rows) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows.data()));
  }

 private:
  [[WARPSIGHT_AVX2]] static __m256i load(const char* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
  [[WARPSIGHT_AVX2]] static __m256i kinds(__m256i bytes) {
    const __m256i half = _mm256_set1_epi8(0x0f);
    const __m256i low = _mm256_and_si256(bytes, half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    return _mm256_and_si256(
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table(kHalves.low)), low),
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table(kHalves.high)), high));
  }
  [[WARPSIGHT_AVX2]] static __m256i letters(__m256i bytes) {
    const __m256i lower = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
    const __m256i offset = _mm256_sub_epi8(lower, _mm256_set1_epi8('a'));
    const __m256i span = _mm256_set1_epi8('z' - 'a');
    return _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(offset, span), offset),
                           _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('_')));
  }
  // The highest bit of each byte.
  [[WARPSIGHT_AVX2]] static uint64_t join(__m256i low, __m256i high) {
    const auto first = static_cast<uint32_t>(_mm256_movemask_epi8(low));
    const auto second = static_cast<uint32_t>(_mm256_movemask_epi8(high));
    return first | uint64_t{second} << 32U;
  }
};

struct Avx512 {
  [[WARPSIGHT_AVX512]] static BlockMasks masks(const char* at) {
    const __m512i bytes = _mm512_loadu_si512(at);
    const __m512i half = _mm512_set1_epi8(0x0f);
    const __m512i low = _mm512_and_si512(bytes, half);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), half);
    const __m512i kinds = _mm512_and_si512(
        _mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xffff, Avx2::table(kHalves.low)), low),
        _mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xffff, Avx2::table(kHalves.high)), high));
    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const __m512i offset = _mm512_sub_epi8(lower, _mm512_set1_epi8('a'));
    BlockMasks masks{};
    masks.letters = _mm512_cmple_epu8_mask(offset, _mm512_set1_epi8('z' - 'a')) |
                    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('_'));
    masks.quotes = _mm512_movepi8_mask(kinds);
    masks.equals = _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 1));
    masks.commas = _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 2));
    masks.closes = _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 3));
    masks.breaks = _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 4)) |
                   _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 5));
    masks.digits = _mm512_movepi8_mask(_mm512_slli_epi16(kinds, 6));
    masks.odd = Avx2::prefix_xor(masks.quotes);
    return masks;
  }
};

[[WARPSIGHT_AVX2, gnu::flatten]] inline const char* labels_end_avx2(const char* at,
                                                                    const char* end) {
  return labels_end_of<Avx2>(at, end);
}
[[WARPSIGHT_AVX512, gnu::flatten]] inline const char* labels_end_avx512(const char* at,
                                                                        const char* end) {
  return labels_end_of<Avx512>(at, end);
}

#undef WARPSIGHT_AVX2
#undef WARPSIGHT_AVX512

inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

inline bool has_avx512() { return has_avx2() && __builtin_cpu_supports("avx512bw"); }

}  // namespace warpsight::prometheus_text
