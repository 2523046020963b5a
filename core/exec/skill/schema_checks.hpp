#pragma once

#include "core/async/notifier.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/skills/ports.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>

namespace caisson {

struct schema_check_options {
    std::size_t at_once = 2;                               // checks; the threads that there are for them
    std::size_t max_waiting = 256;                         // requests of a tenant
    std::chrono::milliseconds request_patience{10'000};    // for a turn
    std::chrono::milliseconds execution_patience{600'000};
};

/// One check of a tenant runs at a time, others of it wait in their order; tenants take turns. So a schema that takes its second holds
/// up checks of its own tenant, and never what runs on the I/O thread. I/O thread only.
class schema_checks : public schema_checker {
public:
    using answer = result<std::vector<field_problem>>;
    /// Runs it elsewhere and resumes with what it gave.
    using runner = std::function<task<answer>(std::function<answer()>)>;

    /// `time` outlives it.
    schema_checks(io_executor executor, timers& time, schema_check check, runner elsewhere, schema_check_options options = {});

    task<answer> check(tenant_id tenant, asker who, std::string schema, shared_bytes json) override;

    /// Checks that wait for their turn.
    std::size_t waiting() const;

private:
    struct waiter {
        explicit waiter(io_executor executor) : came(executor) { }
        notifier came;
        bool has_turn = false;
    };
    using waiter_ptr = std::shared_ptr<waiter>;
    struct line {
        bool runs = false;
        std::deque<waiter_ptr> waiting;
    };
    class place;

    waiter_ptr stand_in_line(const tenant_id& tenant);
    void leave(const tenant_id& tenant, const waiter_ptr& waiter);
    void give_turns();
    static task<> wait_for_turn(waiter_ptr waiter);

    io_executor executor_;
    timers& time_;
    schema_check check_;
    runner elsewhere_;
    const schema_check_options options_;
    std::map<tenant_id, line> lines_;    // of tenants that have a check here
    std::deque<tenant_id> turns_;        // tenants that wait and of which none runs, in their order
    std::size_t running_ = 0;
};

}    // namespace caisson
