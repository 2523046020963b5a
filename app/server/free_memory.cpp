#include "app/server/free_memory.hpp"

#include <cstddef>
#include <malloc.h>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kept_free_bytes = 16 << 20;
constexpr auto trim_every = 1s;    // a run's memory is returned within two seconds of its end

}    // namespace

task<> give_memory_back(timers* time, worker_pool* workers)
{
    for (;;) {
        co_await time->wait_for(trim_every);
        auto trimming = offload(*workers, [] {
            if (::mallinfo2().fordblks > kept_free_bytes)
                ::malloc_trim(0);
        });
        co_await std::move(trimming);
    }
}

}    // namespace caisson
