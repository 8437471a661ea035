#include "block/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace weightzip {
namespace {

// Keeps the exception of the lowest item.
class FirstError {
public:
    void store(std::size_t item, std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (error_ == nullptr || item < item_) item_ = item, error_ = std::move(error);
    }
    void rethrow() const {
        if (error_ != nullptr) std::rethrow_exception(error_);
    }

private:
    std::mutex mutex_;
    std::size_t item_ = 0;
    std::exception_ptr error_;
};

}  // namespace

unsigned count_workers(std::size_t n_items, unsigned n_threads) noexcept {
    const unsigned wanted = n_threads != 0 ? n_threads : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<unsigned>(std::min<std::size_t>(wanted, std::max<std::size_t>(n_items, 1)));
}

void run_parallel(std::size_t n_items, unsigned n_threads,
                  const std::function<void(std::size_t item, unsigned worker)>& work) {
    const unsigned n_workers = count_workers(n_items, n_threads);
    if (n_workers == 1) {
        for (std::size_t item = 0; item < n_items; ++item) work(item, 0);
        return;
    }
    std::atomic<std::size_t> next{0};
    FirstError first_error;
    const auto run = [&](unsigned worker) {
        // Every item runs even after an error: a lower item may fail too, and then it is the one to report.
        for (std::size_t item; (item = next.fetch_add(1, std::memory_order_relaxed)) < n_items;) {
            try {
                work(item, worker);
            } catch (...) {
                first_error.store(item, std::current_exception());
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(n_workers - 1);
        for (unsigned worker = 1; worker < n_workers; ++worker) threads.emplace_back(run, worker);
        run(0);
    }
    first_error.rethrow();
}

}  // namespace weightzip
