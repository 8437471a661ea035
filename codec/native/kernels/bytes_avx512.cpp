// Built for AVX-512 (F, BW, VL, VBMI): the map is looked up in registers, whatever its shape.
#include "kernels/bytes.hpp"

#include <immintrin.h>

namespace weightzip {

void map_bytes_avx512(std::uint8_t* bytes, std::size_t n_bytes, const ByteMap& map) noexcept {
    const __m512i a = _mm512_loadu_si512(map.map);
    const __m512i b = _mm512_loadu_si512(map.map + 64);
    const __m512i c = _mm512_loadu_si512(map.map + 128);
    const __m512i d = _mm512_loadu_si512(map.map + 192);
    std::size_t i = 0;
    for (; i + 64 <= n_bytes; i += 64) {
        const __m512i index = _mm512_loadu_si512(bytes + i);
        const __m512i low = _mm512_permutex2var_epi8(a, index, b);
        const __m512i high = _mm512_permutex2var_epi8(c, index, d);
        _mm512_storeu_si512(bytes + i, _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high));
    }
    map_bytes_scalar(bytes + i, n_bytes - i, map);  // at most 63 left
}

}  // namespace weightzip
