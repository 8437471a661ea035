// Running independent items on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace weightzip {

// Calls work(item, worker) once for each item below n_items, on at most n_threads threads (0: as many as the
// machine has) numbered from 0. One thread or one item runs on the caller's thread. The threads live for this
// call only, so nothing is left behind that a fork could break.
// If calls throw, the exception of the lowest item is rethrown, so the error too is independent of n_threads.
void run_parallel(std::size_t n_items, unsigned n_threads,
                  const std::function<void(std::size_t item, unsigned worker)>& work);

// The number of workers that run_parallel will use.
unsigned count_workers(std::size_t n_items, unsigned n_threads) noexcept;

}  // namespace weightzip
