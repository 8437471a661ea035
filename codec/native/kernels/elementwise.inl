// The bodies of the element-wise kernels, written so that the compiler vectorises them for whatever target
// the including file is built for. Everything is in the unnamed namespace: two files with different targets
// must never share an instantiation, or the linker could keep the one that the processor cannot run.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstring>
#include <type_traits>

namespace weightzip {
namespace {

template <typename T>
inline T load(const std::uint8_t* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <typename T>
inline constexpr int kBits = 8 * static_cast<int>(sizeof(T));

// 0 or all ones: the top bit in every bit.
template <typename T>
inline T spread_sign(T x) noexcept {
    using Signed = std::make_signed_t<T>;
    return static_cast<T>(static_cast<Signed>(x) >> (kBits<T> - 1));
}

template <typename T>
inline T order(T x) noexcept {
    constexpr T top = static_cast<T>(T{1} << (kBits<T> - 1));
    return static_cast<T>(x ^ static_cast<T>(spread_sign(x) | top));
}

template <typename T>
inline T unorder(T x) noexcept {
    constexpr T top = static_cast<T>(T{1} << (kBits<T> - 1));
    return static_cast<T>(x ^ static_cast<T>(static_cast<T>(~spread_sign(x)) | top));
}

template <typename T>
inline T zigzag(T d) noexcept {
    return static_cast<T>(static_cast<T>(d << 1) ^ spread_sign(d));
}

template <typename T>
inline T unzigzag(T u) noexcept {
    return static_cast<T>(static_cast<T>(u >> 1) ^ static_cast<T>(T{0} - static_cast<T>(u & 1)));
}

// How many low bits of the elements are 0: none, known to the compiler, or some.
struct Whole {
    static constexpr int zero_bits = 0;
};
struct Narrow {
    int zero_bits;
};

template <int kTransform, typename T, typename Width>
inline T transform(T x, T p, Width width) noexcept {
    const int z = width.zero_bits;
    if constexpr (kTransform == 0) return x;
    if constexpr (kTransform == 1) return static_cast<T>(static_cast<T>(x << 1) | static_cast<T>(x >> (kBits<T> - 1) << z));
    if constexpr (kTransform == 2) return zigzag(static_cast<T>((order(x) >> z) - (order(p) >> z)));
    if constexpr (kTransform == 3) return zigzag(static_cast<T>((x >> z) - (p >> z)));
}

template <int kTransform, typename T, typename Width>
inline T restore(T u, T p, Width width) noexcept {
    const int z = width.zero_bits;
    const auto clear = [z](T x) { return static_cast<T>(x >> z << z); };
    if constexpr (kTransform == 0) return u;
    if constexpr (kTransform == 1) {
        return static_cast<T>(clear(static_cast<T>(u >> 1)) | static_cast<T>(static_cast<T>(u >> z) << (kBits<T> - 1)));
    }
    if constexpr (kTransform == 2) return clear(unorder(static_cast<T>(static_cast<T>(unzigzag(u) + (order(p) >> z)) << z)));
    if constexpr (kTransform == 3) return static_cast<T>(static_cast<T>(unzigzag(u) + (p >> z)) << z);
}

// Transforming and picking bytes apart are separate loops over so many elements: simple loops over arrays that stay
// in the cache vectorise well.
constexpr std::size_t kPassElements = 512;

template <typename T, int kTransform, typename Width>
void split_elements(const std::uint8_t* __restrict raw, const std::uint8_t* __restrict predicted, Width width,
                    std::uint8_t* const* planes, std::size_t n_elements) noexcept {
    constexpr std::size_t n_bytes = sizeof(T);
    T transformed[kPassElements];
    for (std::size_t first = 0; first < n_elements; first += kPassElements) {
        const std::size_t n = n_elements - first < kPassElements ? n_elements - first : kPassElements;
        for (std::size_t i = 0; i < n; ++i) {
            const T p = kTransform >= 2 ? load<T>(predicted + n_bytes * (first + i)) : T{0};
            transformed[i] = transform<kTransform>(load<T>(raw + n_bytes * (first + i)), p, width);
        }
        for (std::size_t k = 0; k < n_bytes; ++k) {
            if (planes[k] == nullptr) continue;
            std::uint8_t* __restrict plane = planes[k] + first;
            const int shift = kBits<T> - 8 - 8 * static_cast<int>(k);
            for (std::size_t i = 0; i < n; ++i) plane[i] = static_cast<std::uint8_t>(transformed[i] >> shift);
        }
    }
}

template <typename T, int kTransform>
void split(const std::uint8_t* raw, const std::uint8_t* predicted, unsigned zero_bits, std::uint8_t* const* planes,
           std::size_t n_elements) noexcept {
    if (zero_bits == 0) return split_elements<T, kTransform>(raw, predicted, Whole{}, planes, n_elements);
    split_elements<T, kTransform>(raw, predicted, Narrow{static_cast<int>(zero_bits)}, planes, n_elements);
}

// Puts elements first to first + n - 1 together from their planes.
template <typename T>
inline void interleave(const std::uint8_t* const* planes, std::size_t first, std::size_t n, T* elements) noexcept {
    constexpr std::size_t width = sizeof(T);
    const std::uint8_t* __restrict plane[width];
    for (std::size_t k = 0; k < width; ++k) plane[k] = planes[k] + first;
    for (std::size_t i = 0; i < n; ++i) {
        T u = plane[0][i];
        if constexpr (width > 1) {
            for (std::size_t k = 1; k < width; ++k) u = static_cast<T>(static_cast<T>(u << 8) | plane[k][i]);
        }
        elements[i] = u;
    }
}

#if defined(__AVX2__)
// The compiler widens every byte by itself; unpacking takes a third of the instructions.
template <>
inline void interleave(const std::uint8_t* const* planes, std::size_t first, std::size_t n,
                       std::uint32_t* elements) noexcept {
    const auto load_plane = [&](std::size_t k, std::size_t i) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(planes[k] + first + i));
    };
    const auto store = [](std::uint32_t* to, __m256i low_and_high) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(low_and_high));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), _mm256_extracti128_si256(low_and_high, 1));
    };
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m256i plane[4] = {load_plane(0, i), load_plane(1, i), load_plane(2, i), load_plane(3, i)};
        const __m256i low_a = _mm256_unpacklo_epi8(plane[3], plane[2]);
        const __m256i low_b = _mm256_unpackhi_epi8(plane[3], plane[2]);
        const __m256i high_a = _mm256_unpacklo_epi8(plane[1], plane[0]);
        const __m256i high_b = _mm256_unpackhi_epi8(plane[1], plane[0]);
        store(elements + i, _mm256_unpacklo_epi16(low_a, high_a));
        store(elements + i + 4, _mm256_unpackhi_epi16(low_a, high_a));
        store(elements + i + 8, _mm256_unpacklo_epi16(low_b, high_b));
        store(elements + i + 12, _mm256_unpackhi_epi16(low_b, high_b));
    }
    for (; i < n; ++i) {
        std::uint32_t u = 0;
        for (std::size_t k = 0; k < 4; ++k) u = u << 8 | planes[k][first + i];
        elements[i] = u;
    }
}
#endif

template <typename T, int kTransform, typename Width>
void join_elements(const std::uint8_t* const* planes, const std::uint8_t* __restrict predicted, Width width,
                   std::uint8_t* __restrict raw, std::size_t n_elements) noexcept {
    constexpr std::size_t n_bytes = sizeof(T);
    T transformed[kPassElements];
    for (std::size_t first = 0; first < n_elements; first += kPassElements) {
        const std::size_t n = n_elements - first < kPassElements ? n_elements - first : kPassElements;
        interleave(planes, first, n, transformed);
        for (std::size_t i = 0; i < n; ++i) {
            const T p = kTransform >= 2 ? load<T>(predicted + n_bytes * (first + i)) : T{0};
            const T x = restore<kTransform>(transformed[i], p, width);
            std::memcpy(raw + n_bytes * (first + i), &x, n_bytes);
        }
    }
}

template <typename T, int kTransform>
void join(const std::uint8_t* const* planes, const std::uint8_t* predicted, unsigned zero_bits, std::uint8_t* raw,
          std::size_t n_elements) noexcept {
    if (zero_bits == 0) return join_elements<T, kTransform>(planes, predicted, Whole{}, raw, n_elements);
    join_elements<T, kTransform>(planes, predicted, Narrow{static_cast<int>(zero_bits)}, raw, n_elements);
}

template <typename T>
void find_keys(const std::uint8_t* __restrict elements, std::uint8_t* __restrict keys, std::size_t n_elements,
               unsigned key_shift, std::uint32_t key_base) noexcept {
    // Arithmetic in the width of the element (at least 32 bits) keeps the loop in wide vectors.
    using Wide = std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>;
    if (key_shift >= static_cast<unsigned>(kBits<T>)) {
        std::memset(keys, 0, n_elements);
        return;
    }
    constexpr Wide magnitude_mask = static_cast<Wide>(static_cast<T>(static_cast<T>(~T{0}) >> 1));
    const Wide base = key_base;
    for (std::size_t i = 0; i < n_elements; ++i) {
        const Wide magnitude = load<T>(elements + sizeof(T) * i) & magnitude_mask;
        const Wide key = magnitude >> key_shift;
        const Wide above = key > base ? key - base : 0;
        keys[i] = static_cast<std::uint8_t>(above < 255 ? above : 255);
    }
}

}  // namespace
}  // namespace weightzip

#include "kernels/derive.inl"
#include "kernels/predict.inl"
#include "kernels/scale_keys.inl"
#include "kernels/changes.inl"

#define WEIGHTZIP_ROW(KERNEL, T) {KERNEL<T, 0>, KERNEL<T, 1>, KERNEL<T, 2>, KERNEL<T, 3>}
#define WEIGHTZIP_SIZES(KERNEL) {KERNEL<std::uint8_t>, KERNEL<std::uint16_t>, KERNEL<std::uint32_t>, KERNEL<std::uint64_t>}
#define WEIGHTZIP_ELEMENTWISE_KERNELS                                                          \
    {{WEIGHTZIP_ROW(split, std::uint8_t), WEIGHTZIP_ROW(split, std::uint16_t),                 \
      WEIGHTZIP_ROW(split, std::uint32_t), WEIGHTZIP_ROW(split, std::uint64_t)},               \
     {WEIGHTZIP_ROW(join, std::uint8_t), WEIGHTZIP_ROW(join, std::uint16_t),                   \
      WEIGHTZIP_ROW(join, std::uint32_t), WEIGHTZIP_ROW(join, std::uint64_t)},                 \
     WEIGHTZIP_SIZES(find_keys),                                                               \
     WEIGHTZIP_SIZES(find_logs),                                                               \
     WEIGHTZIP_SIZES(predict),                                                                 \
     WEIGHTZIP_SIZES(find_scale_keys),                                                         \
     WEIGHTZIP_SIZES(add_changes),                                                             \
     WEIGHTZIP_ROW(derive, std::uint16_t)}
