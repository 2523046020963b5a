#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/auth/auth_service.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace caisson {

/// Tells long-lived users of a key, such as a WebSocket, when the key is no longer in force: revoked, also by another process, or
/// expired. Asks the store every two seconds about each key that has a waiter or a guard. I/O thread only.
class key_watch {
    struct watched {
        explicit watched(io_executor executor) : changed(executor) { }
        notifier changed;
        std::size_t waiting = 0;
        bool has_ended = false;
    };
    /// Counts a user of the key while it lives.
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

    /// Says, when polled, whether a key has ended. A default-constructed guard always says no.
    class guard {
    public:
        guard() = default;
        /// Becomes true within five seconds of the key's end.
        bool has_ended() const { return of_ && of_->of().has_ended; }

    private:
        friend class key_watch;
        explicit guard(std::shared_ptr<waiter> of) : of_(std::move(of)) { }
        std::shared_ptr<waiter> of_;
    };
    guard guard_of(const key_id& key) { return guard(waiter_of(key)); }

    /// Polls the store until cancelled. While the store fails, all keys stay in force.
    task<> run();

private:
    std::shared_ptr<waiter> waiter_of(const key_id& key);
    static task<wait_end> wait_for_end(std::shared_ptr<waiter> waiter);
    std::vector<key_id> waited_for();

    auth_service& auth_;
    timers& time_;
    const io_executor executor_;
    std::map<key_id, std::shared_ptr<watched>> watched_;
};

}    // namespace caisson
