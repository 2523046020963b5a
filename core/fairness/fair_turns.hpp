#pragma once

#include "core/async/notifier.hpp"
#include "core/fairness/fair_queue.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <set>

namespace caisson {

/// Lets so many through at once, and of one tenant one. Tenants take turns: who asks for much waits for itself, and nobody else does.
/// I/O thread only.
class fair_turns {
    struct state {
        explicit state(std::size_t most);
        void begin_next();

        const std::size_t at_once;
        fair_queue queue;
        std::map<fair_queue::ticket, notifier*> waiters;    // each is woken alone: they may be a thousand
        std::set<fair_queue::ticket> begun;
    };

public:
    fair_turns(io_executor executor, std::size_t at_once) : executor_(executor), state_(std::make_shared<state>(at_once)) { }

    /// A place in the line, and from has_come() on one of those that are let through; given back when it dies. It may outlive the
    /// fair_turns: a coroutine that waits may be destroyed after the server's parts.
    class turn {
    public:
        turn(const fair_turns& of, tenant_id who);
        ~turn();
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        bool has_come() const { return of_->begun.contains(ticket_); }
        /// Returns when it has come. It can be cancelled.
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
