#include "core/exec/sandbox_disposal.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/compile/compiler_process.hpp"

#include <chrono>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto destroy_grace = 30s;
/// With a pool, a used sandbox in which nothing runs waits this long for idle time before it is removed. Few may wait, which hold at most
/// most_bytes_put_off together.
constexpr std::chrono::milliseconds longest_put_off = 500ms;
constexpr std::int64_t most_bytes_put_off = 256 << 20;

}    // namespace

void sandbox_disposal::release_agent(execution& one)
{
    if (!one.link())
        return;
    one.link()->forget(only_execution);
    one.link()->shutdown();
}

void sandbox_disposal::clean_up_after(const execution_ptr& one) { clean_up(one, "clean-up after ", dispose(one)); }

void sandbox_disposal::discard(const execution_ptr& one)
{
    if (one->current.group)
        one->current.group->kill();
    release_agent(*one);
    clean_up(one, "end of an unrecorded ", end_discarded(one));
}

void sandbox_disposal::clean_up(const execution_ptr& one, std::string_view what, task<> work)
{
    leaving_.insert(one);
    cleanup_.spawn(std::string(what) + one->row.id.str(), std::move(work));
}

task<> sandbox_disposal::end_discarded(execution_ptr one)
{
    co_await end_sandbox(one, "its execution could not be recorded");
    queue_.leave(*one);
    leaving_.erase(one);
}

task<> sandbox_disposal::end_sandbox(execution_ptr one, std::string cause)
{
    co_await recover_for_removal(one);
    auto removing = without_exceptions(remove_sandbox(one, std::move(cause)));
    const auto removed = co_await std::move(removing);
    if (removed.has_error())
        use_.log.error("a sandbox could not be removed; the next sweep tries again",
            {{"execution_id", one->row.id.str()}, {"what", removed.error().detail}});
    if (one->current.home)
        co_await one->current.home->close();
    one->current.hold.reset();
    one->current.at_end.reset();
    one->stop_listening();
    one->current.compilers.clear();
    one->current.group.reset();
    one->current.home.reset();
    if (removed.has_error())
        sweeps_.soon();    // no execution holds it now
}

/// Finds the sandbox that an earlier server made, if nobody needed it so far.
task<> sandbox_disposal::recover_for_removal(execution_ptr one)
{
    if (one->sandbox() || one->current.sandbox_gone || !one->row.sandbox)
        co_return;
    auto recovering = without_exceptions(sandboxes_.recover_sandbox(one));
    const auto recovered = co_await std::move(recovering);
    if (recovered.has_error())
        one->heard.lost = recovered.error().detail;
}

task<result<void>> sandbox_disposal::remove_sandbox(execution_ptr one, std::string cause)
{
    auto state = sandbox_state::lost;
    if (one->sandbox()) {
        auto destruction = one->sandbox()->destroy();
        auto destroyed = co_await with_deadline(use_.time, use_.time.steady_now() + destroy_grace, std::move(destruction));
        if (destroyed.has_error())
            co_return destroyed;
        state = sandbox_state::destroyed;
    } else {
        cause = one->heard.lost;
    }
    if (!one->row.sandbox || !one->record.sandbox_recorded)
        co_return result<void>();
    if (!one->sandbox() && !one->current.sandbox_gone)
        co_return error{errc::runtime_unavailable, one->heard.lost};
    co_return co_await use_.stores.sandboxes.update(*one->row.sandbox, state, "", std::move(cause), use_.time.now_ms());
}

/// Removes the sandbox, then gives the place back. A removal that is put off gives the place back first.
task<> sandbox_disposal::dispose(execution_ptr one)
{
    std::optional<count_guard<std::size_t>> counted;
    std::optional<count_guard<std::int64_t>> held;
    const auto bytes = use_.sources.pool && put_off_ < use_.sources.pool->most_put_off ? held_by(*one) : std::nullopt;
    if (bytes && put_off_bytes_ + *bytes <= most_bytes_put_off) {
        counted.emplace(put_off_);
        held.emplace(put_off_bytes_, *bytes);
        queue_.leave(*one);
        co_await idle_gate_.wait(idle_gate::work::removing, longest_put_off);
    } else {
        co_await let_answers_go();
    }
    release_agent(*one);
    co_await end_sandbox(one, "its execution ended: " + std::string(to_string(one->row.verdict.value_or(verdict::lost))));
    co_await one->background.stop();
    queue_.leave(*one);
    leaving_.erase(one);
}

/// The most bytes that a used sandbox holds until it is gone: files, and shared memory, which outlives processes. Nothing: that is not
/// known, or something runs in it.
std::optional<std::int64_t> sandbox_disposal::held_by(const execution& one)
{
    const auto peak = one.row.usage.memory_peak_bytes;
    if (!one.current.disk_at_end || !peak || !one.heard.exited || !one.streams_ended())
        return std::nullopt;
    return one.current.disk_at_end->bytes_used + *peak;
}

/// Lets those who waited for the end answer first, which takes a few turns of this thread. Killing what is left takes longer.
task<> sandbox_disposal::let_answers_go()
{
    constexpr int turns = 12;
    for (int turn = 0; turn < turns; ++turn)
        co_await asio::post(use_.executor, use_task);
}

}    // namespace caisson
