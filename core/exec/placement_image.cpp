#include "core/exec/placement.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/exec/record/record.hpp"
#include "core/images/pull_rules.hpp"

#include <functional>

/// Where an attempt runs: on which runtime, and in which image.
namespace caisson {

namespace {

/// Whether the engine failed, not the image.
bool is_of_engine(errc code) { return code == errc::runtime_unavailable || code == errc::timed_out; }

}    // namespace

std::optional<runtime_breakers::permit> placement::ask_for_permit(execution& exec)
{
    const auto own = exec.spec.runtime;
    take_runtime(exec, own);
    auto permit = breakers_.ask(exec.row.runtime, exec.row.tenant);
    if (permit)
        return permit;
    for (const auto& name : use_.sources.fallback) {
        if (!can_fall_back(exec, name))
            continue;
        take_runtime(exec, name);
        if (auto other = breakers_.ask(exec.row.runtime, exec.row.tenant))
            return other;
    }
    take_runtime(exec, own);
    return std::nullopt;
}

bool placement::can_fall_back(const execution& exec, const std::string& runtime) const
{
    const auto* const found = use_.sources.find(runtime);
    if (!exec.spec.may_fall_back || runtime == exec.spec.runtime || found == nullptr || !is_enabled(runtime))
        return false;
    return found->traits().has_images ? !exec.spec.image.empty() : !exec.spec.host_argv.empty();
}

void placement::take_runtime(execution& exec, const std::string& name) const
{
    exec.row.runtime = name;
    if (!exec.spec.may_fall_back)
        return;
    exec.row.fallback_from = name == exec.spec.runtime ? std::string() : exec.spec.runtime;
    exec.row.image = runs_in_image(exec) ? exec.spec.image : std::string();
}

bool placement::runs_in_image(const execution& exec) const
{
    const auto* const found = use_.sources.find(exec.row.runtime);
    return found != nullptr && found->traits().has_images && !exec.spec.image.empty();
}

bool placement::hold_image_now(execution& exec) const
{
    if (use_.sources.images == nullptr || !runs_in_image(exec))
        return true;
    auto known = use_.sources.images->find_now(exec.spec.image);
    if (!known)
        return false;
    exec.current.image = std::move(*known);
    return true;
}

/// False if the image has to be fetched. True also if none is needed, or if the reason why it cannot be had is known.
task<bool> placement::find_image(execution_ptr exec)
{
    if (use_.sources.images == nullptr || exec->current.image || !runs_in_image(*exec))
        co_return true;
    auto finding = without_exceptions(use_.sources.images->find(exec->spec.image));
    auto found = co_await std::move(finding);
    if (found.has_error() && found.error().code == errc::not_found)
        co_return false;
    exec->current.image = std::move(found);
    co_return true;
}

/// Waits without a place until the image is there or cannot be had, or a cancel is wanted.
task<> placement::wait_for_image(execution_ptr exec)
{
    image_watcher watcher = [exec](const image_progress& now) { exec->row.waits_for = pull_sentence(exec->spec.image, now); };
    watcher({});
    if (exec->row.attempts.empty())    // before later attempts an event says which one comes
        exec->log->control(event_kind::state, state_body(exec->row));
    auto fetching = without_exceptions(use_.sources.images->ensure(exec->spec.image, std::move(watcher)));
    auto leaving = wait_until(exec, std::mem_fn(&execution::cancel_wanted));
    auto outcome = co_await race(std::move(fetching), std::move(leaving));
    exec->row.waits_for.clear();
    if (auto* fetched = std::get_if<0>(&outcome))
        exec->current.image = std::move(*fetched);
}

result<void> placement::check_image(execution& exec)
{
    if (!exec.current.image || exec.current.image->has_value())
        return {};
    auto what = exec.current.image->error();
    exec.current.at_host = is_of_engine(what.code);
    return what;
}

}    // namespace caisson
