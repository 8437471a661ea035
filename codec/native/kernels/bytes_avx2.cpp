// Built for AVX2.
#include "kernels/bytes.hpp"

#include <immintrin.h>

namespace weightzip {

void map_bytes_avx2(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept {
    std::size_t i = 0;
    if (map.n_steps <= kMaxMapSteps) {
        for (; i + 64 <= n_bytes; i += 64) {
            auto* at = reinterpret_cast<__m256i*>(bytes + i);
            const __m256i key_a = _mm256_loadu_si256(at);
            const __m256i key_b = _mm256_loadu_si256(at + 1);
            __m256i context_a = _mm256_set1_epi8(static_cast<char>(map.map[0]));
            __m256i context_b = context_a;
            for (unsigned s = 0; s < map.n_steps; ++s) {
                const __m256i step = _mm256_set1_epi8(static_cast<char>(map.steps[s]));
                context_a = _mm256_sub_epi8(context_a, _mm256_cmpeq_epi8(_mm256_max_epu8(key_a, step), key_a));
                context_b = _mm256_sub_epi8(context_b, _mm256_cmpeq_epi8(_mm256_max_epu8(key_b, step), key_b));
            }
            _mm256_storeu_si256(at, context_a);
            _mm256_storeu_si256(at + 1, context_b);
        }
    }
    map_bytes_scalar(bytes + i, n_bytes - i, map);
}

std::size_t count_byte_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t wanted) noexcept {
    const __m256i pattern = _mm256_set1_epi8(static_cast<char>(wanted));
    const __m256i one = _mm256_set1_epi8(1);
    __m256i sums = _mm256_setzero_si256();  // four sums of 64 bits
    std::size_t i = 0;
    for (; i + 32 <= n_bytes; i += 32) {
        const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
        const __m256i hits = _mm256_and_si256(_mm256_cmpeq_epi8(value, pattern), one);
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(hits, _mm256_setzero_si256()));
    }
    alignas(32) std::uint64_t parts[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sums);
    return parts[0] + parts[1] + parts[2] + parts[3] + count_byte_scalar(bytes + i, n_bytes - i, wanted);
}

std::size_t find_outside_avx2(const std::uint8_t* bytes, std::size_t n_bytes, std::uint8_t first, std::uint8_t count,
                              std::uint16_t* positions) noexcept {
    constexpr std::size_t kVectors = 4;
    const __m256i firsts = _mm256_set1_epi8(static_cast<char>(first));
    const __m256i counts = _mm256_set1_epi8(static_cast<char>(count));
    std::size_t n = 0;
    std::size_t i = 0;
    for (; i + 32 * kVectors <= n_bytes; i += 32 * kVectors) {
        __m256i outside[kVectors];
        __m256i any = _mm256_setzero_si256();
        for (std::size_t v = 0; v < kVectors; ++v) {
            const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i + 32 * v));
            const __m256i number = _mm256_sub_epi8(value, firsts);
            outside[v] = _mm256_cmpeq_epi8(_mm256_max_epu8(number, counts), number);
            any = _mm256_or_si256(any, outside[v]);
        }
        // Few are outside: one branch for many bytes.
        if (_mm256_testz_si256(any, any) != 0) continue;
        for (std::size_t v = 0; v < kVectors; ++v) {
            auto mask = static_cast<unsigned>(_mm256_movemask_epi8(outside[v]));
            for (; mask != 0; mask &= mask - 1) {
                const auto bit = static_cast<unsigned>(__builtin_ctz(mask));
                positions[n++] = static_cast<std::uint16_t>(i + 32 * v + bit);
            }
        }
    }
    const std::size_t n_rest = find_outside_scalar(bytes + i, n_bytes - i, first, count, positions + n);
    for (std::size_t e = 0; e < n_rest; ++e) positions[n + e] = static_cast<std::uint16_t>(positions[n + e] + i);
    return n + n_rest;
}

}  // namespace weightzip
