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

std::optional<runtime_breakers::permit> placement::ask_for_permit(execution& one)
{
    const auto own = one.spec.runtime;
    take_runtime(one, own);
    auto permit = breakers_.ask(one.row.runtime, one.row.tenant);
    if (permit)
        return permit;
    for (const auto& name : use_.sources.fallback) {
        if (!can_fall_back(one, name))
            continue;
        take_runtime(one, name);
        if (auto other = breakers_.ask(one.row.runtime, one.row.tenant))
            return other;
    }
    take_runtime(one, own);
    return std::nullopt;
}

bool placement::can_fall_back(const execution& one, const std::string& runtime) const
{
    const auto found = use_.sources.runtimes.find(runtime);
    if (!one.spec.may_fall_back || runtime == one.spec.runtime || found == use_.sources.runtimes.end() || !is_enabled(runtime))
        return false;
    return found->second->traits().has_images ? !one.spec.image.empty() : !one.spec.host_argv.empty();
}

void placement::take_runtime(execution& one, const std::string& name) const
{
    one.row.runtime = name;
    if (!one.spec.may_fall_back)
        return;
    one.row.fallback_from = name == one.spec.runtime ? std::string() : one.spec.runtime;
    one.row.image = runs_in_image(one) ? one.spec.image : std::string();
}

bool placement::runs_in_image(const execution& one) const
{
    const auto found = use_.sources.runtimes.find(one.row.runtime);
    return found != use_.sources.runtimes.end() && found->second->traits().has_images && !one.spec.image.empty();
}

bool placement::hold_image_now(execution& one) const
{
    if (use_.sources.images == nullptr || !runs_in_image(one))
        return true;
    auto known = use_.sources.images->find_now(one.spec.image);
    if (!known)
        return false;
    one.current.image = std::move(*known);
    return true;
}

/// False if the image has to be fetched. True also if none is needed, or if the reason why it cannot be had is known.
task<bool> placement::find_image(execution_ptr one)
{
    if (use_.sources.images == nullptr || one->current.image || !runs_in_image(*one))
        co_return true;
    auto finding = without_exceptions(use_.sources.images->find(one->spec.image));
    auto found = co_await std::move(finding);
    if (found.has_error() && found.error().code == errc::not_found)
        co_return false;
    one->current.image = std::move(found);
    co_return true;
}

/// Waits without a place until the image is there or cannot be had, or a cancel is wanted.
task<> placement::wait_for_image(execution_ptr one)
{
    image_watcher watcher = [one](const image_progress& now) { one->row.waits_for = pull_sentence(one->spec.image, now); };
    watcher({});
    if (one->row.attempts.empty())    // before later attempts an event says which one comes
        one->log->control(event_kind::state, state_body(one->row));
    auto fetching = without_exceptions(use_.sources.images->ensure(one->spec.image, std::move(watcher)));
    auto leaving = wait_until(one, std::mem_fn(&execution::cancel_wanted));
    auto outcome = co_await race(std::move(fetching), std::move(leaving));
    one->row.waits_for.clear();
    if (auto* fetched = std::get_if<0>(&outcome))
        one->current.image = std::move(*fetched);
}

result<void> placement::check_image(execution& one)
{
    if (!one.current.image || one.current.image->has_value())
        return {};
    auto what = one.current.image->error();
    one.current.at_host = is_of_engine(what.code);
    return what;
}

}    // namespace caisson
