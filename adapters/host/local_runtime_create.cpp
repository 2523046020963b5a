#include "adapters/host/local_runtime.hpp"

#include "core/async/uncancellable.hpp"

/// Creating sandboxes, and preparing them ahead.
namespace caisson {

namespace {

/// Removes the parts of `begun` if `work`, which prepares it, fails or is cancelled.
task<result<void>> make_whole(logger* log, local_sandbox* begun, task<result<void>> work)
{
    std::exception_ptr failure;
    result<void> prepared;
    try {
        prepared = co_await std::move(work);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure && !prepared.has_error())
        co_return prepared;
    co_await asio::this_coro::throw_if_cancelled(false);
    auto removed = co_await uncancellable(begun->destroy());
    if (removed.has_error())
        log->warning(
            "a sandbox that could not be made is not wholly removed", {{"sandbox", begun->id().str()}, {"reason", removed.error().detail}});
    if (failure)
        std::rethrow_exception(failure);
    co_return prepared;
}

}    // namespace

std::unique_ptr<local_sandbox> local_runtime::begin(const sandbox_spec& spec)
{
    local_record record;
    record.runtime = name();
    record.limits = spec.limits;
    record.work_directory = spec.work_directory;
    record.stamp(services_.time.steady_now());
    record.group = services_.groups.sandbox_group(spec.id.str());
    auto begun = make_sandbox(spec.id, std::move(record), std::nullopt);
    begun->mark_new(spec.trees);
    return begun;
}

task<result<std::unique_ptr<sandbox>>> local_runtime::create(sandbox_spec spec)
{
    auto created = spec.is_awaited ? stock_.take(spec) : nullptr;
    if (created == nullptr) {
        created = begin(spec);
        auto work = prepare_all(created.get(), std::move(spec));
        auto made = co_await make_whole(&services_.log, created.get(), std::move(work));
        if (made.has_error())
            co_return made.error();
    }
    co_return std::unique_ptr<sandbox>(std::move(created));
}

/// Runs on a worker while nothing else uses `created`.
result<void> local_runtime::prepare_parts(local_sandbox& created, const sandbox_spec& spec)
{
    auto directory = run_directory::make(options_.run_dirs.front(), spec.id);
    if (directory.has_error())
        return directory.error();
    created.stored().set_directory(std::move(*directory));
    auto done = take_uid(created);    // the lock file names the sandbox
    if (done.has_error())
        return done;
    // Record first: a later server can then find and remove everything made afterwards.
    done = created.directory().write_state(created.runtime_state());
    if (done.has_error())
        return done;
    auto group = services_.groups.make_sandbox_group(spec.id.str(), spec.limits);
    if (group.has_error())
        return group.error();
    return prepare(created);
}

task<result<void>> local_runtime::prepare_all(local_sandbox* created, sandbox_spec spec)
{
    auto parts = [this, created, wanted = &spec] { return prepare_parts(*created, *wanted); };
    auto done = co_await offload(services_.workers, std::move(parts));
    if (!done.has_error())
        done = created->open_listener();
    if (done.has_error())
        co_return done;
    co_return co_await prepare_outside(created, std::move(spec));
}

task<result<void>> local_runtime::prepare_outside(local_sandbox*, sandbox_spec) { co_return result<void>(); }

task<result<void>> local_runtime::prepare_with_group(local_sandbox* created, sandbox_spec spec)
{
    const auto done = co_await prepare_all(created, std::move(spec));
    if (done.has_error())
        co_return done;
    auto group = [created] { return created->groups().make_ahead(); };
    co_return co_await offload(services_.workers, std::move(group));
}

task<result<void>> local_runtime::prepare_ahead(sandbox_id id, sandbox_limits limits)
{
    co_await stock_.remove_discarded();
    sandbox_spec spec;
    spec.id = std::move(id);
    spec.limits = limits;
    auto begun = begin(spec);
    auto work = prepare_with_group(begun.get(), std::move(spec));
    auto made = co_await make_whole(&services_.log, begun.get(), std::move(work));
    if (made.has_error())
        co_return made;
    stock_.add(std::move(begun));
    co_return result<void>();
}

task<> local_runtime::discard_prepared(std::size_t kept)
{
    services_.networks->tidy(services_.time.steady_now());
    return stock_.discard_beyond(kept);
}

}    // namespace caisson
