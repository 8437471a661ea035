// What the C++ tests share: a check that ends the test, and random bytes in memory without a byte to spare.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

namespace weightzip::test {

inline void check(bool holds, const char* otherwise) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", otherwise);
    std::exit(1);
}

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random() % limit); }

// A copy on the heap of exactly these bytes: the sanitizer sees the first byte read beyond them.
struct Exact {
    explicit Exact(const std::vector<std::uint8_t>& bytes)
        : data(std::make_unique<std::uint8_t[]>(bytes.size())), size(bytes.size()) {
        for (std::size_t i = 0; i < size; ++i) data[i] = bytes[i];
    }
    explicit Exact(std::size_t n_bytes) : data(std::make_unique<std::uint8_t[]>(n_bytes)), size(n_bytes) {}

    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size;
};

inline std::vector<std::uint8_t> random_bytes(Random& random, std::size_t n_bytes) {
    std::vector<std::uint8_t> bytes(n_bytes);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

}  // namespace weightzip::test
