#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/auth/auth_service.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace caisson {

/// Tells those who serve a key for long, such as a WebSocket, when that key is no longer in force: it was revoked, by another process
/// too, or has expired. The store is asked once in two seconds about each key that somebody waits for. I/O thread only.
class key_watch {
    struct watched {
        explicit watched(io_executor executor) : changed(executor) { }
        notifier changed;
        std::size_t waiting = 0;
        bool has_ended = false;
    };
    /// Somebody who waits, or is about to.
    class waiter {
    public:
        explicit waiter(std::shared_ptr<watched> of) : of_(std::move(of)) { ++of_->waiting; }
        ~waiter() { --of_->waiting; }
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;
        watched& of() { return *of_; }

    private:
        const std::shared_ptr<watched> of_;
    };

public:
    static constexpr std::chrono::seconds look_every{2};

    /// `auth` and `time` outlive it.
    key_watch(auth_service& auth, timers& time, io_executor executor) : auth_(auth), time_(time), executor_(executor) { }

    /// Returns when `key` is no longer in force.
    task<wait_end> until_ended(key_id key);

    /// Tells whoever asks from time to time that a key has ended. One that was made without a watch never does.
    class guard {
    public:
        guard() = default;
        /// Within five seconds after the key's end.
        bool has_ended() const { return of_ && of_->of().has_ended; }

    private:
        friend class key_watch;
        explicit guard(std::shared_ptr<waiter> of) : of_(std::move(of)) { }
        std::shared_ptr<waiter> of_;
    };
    guard guard_of(const key_id& key) { return guard(waiter_of(key)); }

    /// Looks, until it is cancelled. A store that fails leaves all keys in force.
    task<> run();

private:
    std::shared_ptr<waiter> waiter_of(const key_id& key);
    static task<wait_end> wait_for_end(std::shared_ptr<waiter> one);
    std::vector<key_id> waited_for();

    auth_service& auth_;
    timers& time_;
    const io_executor executor_;
    std::map<key_id, std::shared_ptr<watched>> watched_;
};

}    // namespace caisson
