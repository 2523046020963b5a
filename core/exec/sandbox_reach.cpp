#include "core/exec/sandbox_provider.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/elapsed.hpp"
#include "core/exec/limit_watch.hpp"

#include <algorithm>

/// How the agent of a sandbox is reached, new or left by an earlier server.
namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Pauses between two tries.
constexpr std::chrono::milliseconds first_retry_pause = 20ms;
constexpr std::chrono::milliseconds longest_retry_pause = 1000ms;
/// After a cancel the server tries this long to reach the sandbox.
constexpr auto cancel_patience = 10s;

}    // namespace

void sandbox_provider::keep_link(const execution_ptr& exec)
{
    const auto lose = [weak = std::weak_ptr(exec)](const std::string& why, bool agent_died) {
        const auto alive = weak.lock();
        if (!alive)
            return;
        alive->heard.agent_died = alive->heard.agent_died || agent_died;
        if (alive->heard.lost.empty())
            alive->heard.lost = why;
        alive->wake();
    };
    exec->current.lease.home->carry({"execution_id", exec->row.id.str()}, lose);
    exec->log->on_commit([weak = std::weak_ptr(exec)] {
        if (auto alive = weak.lock())
            alive->acknowledge(1);
    });
}

void sandbox_provider::keep_watch(const execution_ptr& exec)
{
    exec->current.lease.hold.reset();
    exec->current.lease.home->watch();
}

task<result<void>> sandbox_provider::reach_agent(execution_ptr exec)
{
    auto grouped = sandbox_service::open_group(exec->current.lease, group_limits_of(*exec));
    if (grouped.has_error())
        co_return grouped.error();
    co_return co_await open_link(exec);
}

/// For a sandbox that was ready, whose link is open.
task<result<void>> sandbox_provider::hold_link(execution_ptr exec)
{
    keep_link(exec);
    keep_watch(exec);
    co_return result<void>();
}

task<result<void>> sandbox_provider::open_link(execution_ptr exec)
{
    const auto began = use_.time.steady_now();
    auto opened = co_await exec->current.lease.home->open(began + 10s);
    if (opened.has_error())
        co_return error{opened.error().code, "the sandbox's agent does not answer: " + opened.error().detail};
    keep_link(exec);
    keep_watch(exec);
    exec->row.stages.agent_ms = ms_between(began, use_.time.steady_now());
    co_return result<void>();
}

task<result<void>> sandbox_provider::recover_sandbox(execution_ptr exec)
{
    log_field holder("execution_id", exec->row.id.str());
    auto recovered = co_await sandboxes_.recover(*exec->row.sandbox, exec->row.runtime, std::move(holder));
    if (recovered.has_value()) {
        exec->current.lease.home = std::move(*recovered);
        co_return result<void>();
    }
    if (recovered.error().code == errc::not_found)
        co_return error{errc::gone, recovered.error().detail};
    exec->current.sandbox_gone = exec->heard.agent_died = recovered.error().code == errc::gone;
    co_return error{recovered.error().code, "the sandbox did not survive: " + recovered.error().detail};
}

/// Tries once.
task<result<void>> sandbox_provider::find_sandbox_again(execution_ptr exec)
{
    if (!exec->sandbox()) {
        auto recovered = co_await recover_sandbox(exec);
        if (recovered.has_error())
            co_return recovered;
        exec->heard.started_at = exec->sandbox()->made_at().value_or(exec->heard.started_at);
    }
    co_return sandbox_service::open_group(exec->current.lease, group_limits_of(*exec));
}

task<result<void>> sandbox_provider::find_sandbox_patiently(execution_ptr exec)
{
    const auto began = use_.time.steady_now();
    std::optional<steady_time> cancel_seen;
    for (auto pause = first_retry_pause;; pause = std::min(pause * 2, longest_retry_pause)) {
        const auto seen = exec->changed.version();
        auto attempt = without_exceptions(find_sandbox_again(exec));
        const auto found = co_await std::move(attempt);
        if (found.has_value() || found.error().code == errc::gone || out_of_patience(*exec, began, cancel_seen))
            co_return found;
        use_.log.warning(
            "a sandbox cannot be taken up yet; trying again", {{"execution_id", exec->row.id.str()}, {"what", found.error().detail}});
        auto wish = next_change(exec, seen);
        const auto woken = co_await with_deadline(use_.time, use_.time.steady_now() + pause, std::move(wish));
        static_cast<void>(woken);
    }
}

bool sandbox_provider::out_of_patience(const execution& exec, steady_time began, std::optional<steady_time>& cancel_seen) const
{
    const auto now = use_.time.steady_now();
    if (exec.cancel_wanted() && !cancel_seen)
        cancel_seen = now;
    if (cancel_seen && now >= *cancel_seen + cancel_patience)
        return true;
    const auto earliest = exec.sandbox() ? exec.heard.started_at : began;    // the wall clock may have been set since
    const auto limit = earliest + std::chrono::milliseconds(exec.spec.limits.wall_ms) + limit_watch::wall_backstop;
    return now >= std::max(limit, began) + limit_watch::silence_grace;
}

bool sandbox_provider::agent_was_taken(const execution& exec) const
{
    const auto* const found = use_.sources.find(exec.row.runtime);
    return exec.heard.agent_died && found != nullptr && found->traits().protects_agent;
}

}    // namespace caisson
