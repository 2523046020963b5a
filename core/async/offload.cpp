#include "core/async/offload.hpp"

#include <pthread.h>

#include <algorithm>
#include <latch>

namespace caisson {

worker_pool::worker_pool(std::string name, std::size_t threads) : pool_(threads)
{
    // Each thread runs one of these and waits for the others, so that all get the name (15 characters, pthread_setname_np(3)).
    auto all = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(threads));
    name.resize(std::min<std::size_t>(name.size(), 15));
    for (std::size_t i = 0; i < threads; ++i) {
        asio::post(pool_, [all, name] {
            ::pthread_setname_np(::pthread_self(), name.c_str());
            all->arrive_and_wait();
        });
    }
}

}    // namespace caisson
