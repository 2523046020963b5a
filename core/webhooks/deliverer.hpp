#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/webhooks/ports.hpp"
#include "core/webhooks/schedule.hpp"
#include "core/webhooks/signature.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace caisson {

struct webhook_options {
    webhook_schedule schedule;
    std::chrono::milliseconds timeout{10'000};    // of one attempt, from the start of its lookup
    std::size_t max_in_flight = 64;
    std::size_t max_per_tenant = 8;
    std::size_t max_per_receiver = 4;                                   // per tenant
    std::size_t max_lookups_per_tenant = 2;                             // part of max_per_tenant: attempts in name resolution
    std::chrono::milliseconds kept_for = std::chrono::hours(7 * 24);    // after the end of the execution
};

/// The collaborators of a webhook_deliverer; all references must outlive it.
struct webhook_services {
    io_executor executor;
    timers& time;
    logger& log;
    webhook_store& store;
    webhook_sender& sender;
    /// Makes the message for an ended execution. Errors: errc::not_found if the execution was removed.
    std::function<task<result<std::string>>(tenant_id tenant, execution_id execution)> body;
    hmac_function hmac;
    task_group& tasks;    // runs attempts; stopped before the deliverer is destroyed
    double (*draw)() = &draw_jitter;
};

/// Delivers the ends of executions to webhook receivers: at least once, unless all attempts fail. The schedule is in the store, so it
/// survives a restart; an interrupted attempt is repeated. I/O thread only.
class webhook_deliverer {
public:
    webhook_deliverer(webhook_services use, webhook_options options);

    /// Runs until cancelled.
    task<> run();
    /// Call when an execution with a webhook has ended.
    void wake() { changed_.notify_all(); }

    std::size_t in_flight() const { return flying_.size(); }

private:
    task<> work();
    task<> start_due(std::int64_t now_ms);
    task<> sleep_past(std::uint64_t seen, std::int64_t now_ms);
    task<> forget_old();
    bool may_start(const webhook_job& job) const;
    void start(webhook_job job);
    task<> deliver(webhook_job job);
    task<> attempt(const webhook_job* job);
    task<webhook_answer> send(const webhook_job* job, webhook_message message);
    void looked_up(const webhook_job& job);
    task<> insist_on_note(execution_id execution, webhook_status status);
    void tell(const webhook_job& job, const webhook_status& now) const;
    void landed(const webhook_job& job);

    webhook_services use_;
    const webhook_options options_;
    notifier changed_;
    std::set<execution_id> flying_;
    std::map<tenant_id, std::map<std::string, std::size_t>> per_receiver_;    // attempts in flight; no empty entries
    std::map<tenant_id, std::set<execution_id>> looking_;                     // attempts in name resolution; no empty entries
    tenant_id last_;                                                          // tenant of the last attempt started
    steady_time forget_at_;
};

}    // namespace caisson
