#pragma once

#include "core/async/notifier.hpp"
#include "core/fairness/fair_queue.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <set>

namespace caisson {

/// Grants at most `at_once` turns at a time, and one per tenant. Tenants alternate, so a busy tenant delays only itself. I/O thread only.
class fair_turns {
    struct state {
        explicit state(std::size_t most);
        void begin_next();

        const std::size_t at_once;
        fair_queue queue;
        std::map<fair_queue::ticket, notifier*> waiters;    // each is woken alone: there may be a thousand
        std::set<fair_queue::ticket> begun;
    };

public:
    fair_turns(io_executor executor, std::size_t at_once) : executor_(executor), state_(std::make_shared<state>(at_once)) { }

    /// A place in the line, and once has_come() a granted turn; the destructor gives it back. May outlive the fair_turns: a waiting
    /// coroutine may be destroyed after the server's parts.
    class turn {
    public:
        turn(const fair_turns& of, tenant_id who);
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        bool has_come() const { return of_->begun.contains(ticket_); }
        /// Returns when has_come(). Can be cancelled.
        task<> come() { return came_.wait_past(0); }

    private:
        std::shared_ptr<state> of_;
        notifier came_;
        tenant_id who_;
        fair_queue::ticket ticket_;
    };

    std::size_t waiting() const { return state_->queue.waiting(); }

private:
    io_executor executor_;
    std::shared_ptr<state> state_;
};

}    // namespace caisson
