#include "adapters/containers/engine_sandbox.hpp"

#include "adapters/containers/container_cgroup.hpp"
#include "adapters/containers/container_kill.hpp"
#include "adapters/containers/engine_execution_group.hpp"
#include "adapters/containers/image_settings.hpp"
#include "adapters/containers/trial_images.hpp"
#include "core/async/deadline.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto create_within = 30s;
constexpr auto begin_within = 60s;    // for a gVisor kernel on a slow disk
constexpr auto container_call_within = 5s;
constexpr auto end_within = 10s;
constexpr auto end_here_within = 15s;    // for end_from_here(), before the engine's kill

bool runs(docker::container_state state) { return state == docker::container_state::running || state == docker::container_state::paused; }

/// True if the error means that the engine is unreachable; other errors concern the container.
bool is_away(const error& what) { return what.code == errc::runtime_unavailable || what.code == errc::timed_out; }

}    // namespace

engine_sandbox::engine_sandbox(engine_services services, sandbox_id id, engine_record record, docker::container_settings settings)
    : services_(services)
    , id_(std::move(id))
    , record_(std::move(record))
    , settings_(std::move(settings))
    , engine_(services_.on)
    , watched_(std::make_shared<docker::watched_container>(services_.executor))
{
    services_.live->insert(id_);
    watched_->id = record_.container;
    watched_->cpu_before_us = record_.cpu_before_us;
    watched_->counts_threads = settings_.counts_threads;
}

engine_sandbox::~engine_sandbox() { services_.live->erase(services_.live->find(id_)); }

std::string engine_sandbox::handle() const
{
    return record_.container.empty() ? docker::container_name(id_, settings_) : record_.container;
}

task<result<std::vector<std::string>>> engine_sandbox::make(docker::container_spec spec)
{
    record_.image_digest = spec.image;
    auto made = co_await engine_.create(std::move(spec), services_.time.steady_now() + create_within);
    if (made.has_error())
        co_return made.error();
    record_.container = watched_->id = std::move(made->id);
    co_return std::move(made->warnings);
}

task<result<void>> engine_sandbox::run()
{
    auto done = co_await engine_.start(handle(), services_.time.steady_now() + begin_within);
    if (done.has_error())
        co_return done;
    const auto found = co_await engine_.inspect(handle(), services_.time.steady_now() + container_call_within);
    if (found.has_error())
        co_return found.error();
    watched_->status.note_look(found);
    if (watched_->status.cause())
        co_return error{errc::runtime_unavailable, "the agent ended at once: " + *watched_->status.cause()};
    if (found->image_digest != record_.image_digest)
        co_return docker::is_of_another_image(record_.image, record_.image_digest, found->image_digest);
    adopt(*found);
    record_.cpu_before_us = watched_->cpu_before_us = watched_->group.usage().cpu_us.value_or(0);
    co_return result<void>();
}

void engine_sandbox::adopt(const docker::container_info& found)
{
    started_ = true;
    record_.container = watched_->id = found.id;
    record_.image_digest = found.image_digest;
    if (!services_.on.local())
        return;
    // Opened before the cgroup lookup, which verifies whose process it is.
    watched_->first_process = process_handle::open_running(static_cast<pid_t>(found.pid));
    watched_->group = docker::cgroup_of(std::make_shared<system_cgroup_io>(), found.pid, found.id);
    if (watched_->group.members().empty())
        watched_->first_process.reset();
}

/// A record stored before the start may lack the id, or be lost: then searches by labels.
task<result<docker::container_info>> engine_sandbox::inspect_or_search(steady_time deadline)
{
    if (!record_.container.empty())
        co_return co_await engine_.inspect(record_.container, deadline);
    auto labels = docker::labels_of_sandbox(id_, settings_);
    const auto listed = co_await engine_.list(std::move(labels), deadline);
    if (listed.has_error())
        co_return listed.error();
    if (listed->empty())
        co_return error{errc::not_found, "the engine has no container of it"};
    co_return co_await engine_.inspect(listed->front().id, deadline);
}

task<result<void>> engine_sandbox::find()
{
    const auto found = co_await inspect_or_search(services_.time.steady_now() + container_call_within);
    if (found.has_error() && found.error().code != errc::not_found)
        co_return found.error();
    if (found.has_error() && record_.container.empty())
        co_return error{errc::gone, "nothing is left of the sandbox"};
    if (found.has_value())
        watched_->id = found->id;
    watched_->status.note_look(found);
    auto order = watch_order();
    co_await docker::hear_why_it_ended(std::move(order));
    const bool is_over = watched_->status.cause().has_value();
    const bool lacked_memory = watched_->status.usage().oom_kills > 0;    // reported after the end, so the engine's own state lacks it
    if (is_over && (found.has_error() || !lacked_memory))
        co_return error{errc::gone, *watched_->status.cause()};
    if (docker::sandbox_of(found->labels, settings_) != id_ || !docker::takes_stdio(found->labels))
        co_return error{errc::gone, std::string(docker::of_another_kind)};
    if (!is_over && !runs(found->state))
        co_return error{errc::gone, "its container was never started"};
    record_.work_directory = docker::work_directory_of(found->labels);
    adopt(*found);
    co_return result<void>();
}

task<result<std::unique_ptr<protocol::byte_stream>>> engine_sandbox::connect()
{
    if (!started_ || watched_->status.cause())
        co_return error{errc::runtime_unavailable, watched_->status.cause().value_or("the agent does not run")};
    auto attached = co_await engine_.attach(handle(), services_.time.steady_now() + container_call_within);
    if (attached.has_value())
        co_return attached;
    co_return co_await why_unreachable(attached.error());
}

/// An unreachable engine may come back with its container: errc::timed_out tells the caller to retry.
task<error> engine_sandbox::why_unreachable(error what)
{
    co_await docker::look_at(&services_.on, watched_, services_.time.steady_now() + container_call_within);
    if (watched_->status.cause()) {
        watched_->changed.notify_all();
        co_return error{errc::runtime_unavailable, *watched_->status.cause()};
    }
    if (watched_->status.is_paused())
        co_return error{errc::timed_out, "the container is paused"};
    co_return error{errc::timed_out, what.detail};
}

result<std::unique_ptr<execution_group>> engine_sandbox::open_group(group_name, group_limits)
{
    return std::unique_ptr<execution_group>(std::make_unique<engine_execution_group>(watched_));
}

result<void> engine_sandbox::claim(const sandbox_limits&, execution_group&)
{
    record_.stamp(services_.time.steady_now());
    record_.cpu_before_us = watched_->cpu_before_us = watched_->group.usage().cpu_us.value_or(0);
    return {};
}

task<std::string> engine_sandbox::ended()
{
    // Not a coroutine: the sandbox may be destroyed before the task ends.
    return docker::watch_container(watch_order());
}

docker::watch_order engine_sandbox::watch_order() const
{
    return {services_.on, services_.time, services_.log, docker::labels_of_sandbox(id_, settings_), watched_};
}

task<result<void>> engine_sandbox::pause()
{
    auto done = co_await engine_.pause(handle(), services_.time.steady_now() + container_call_within);
    co_await docker::look_at(&services_.on, watched_, services_.time.steady_now() + container_call_within);
    if (done.has_error() && !is_away(done.error()) && watched_->status.is_paused())
        co_return result<void>();    // already paused
    co_return done;
}

task<result<void>> engine_sandbox::resume()
{
    auto done = co_await engine_.unpause(handle(), services_.time.steady_now() + container_call_within);
    co_await docker::look_at(&services_.on, watched_, services_.time.steady_now() + container_call_within);
    if (done.has_error() && !is_away(done.error()) && !watched_->status.is_paused() && !watched_->status.cause())
        co_return result<void>();
    co_return done;
}

task<bool> engine_sandbox::end_here()
{
    return docker::end_from_here(&services_.on, handle(), watched_->group, services_.time.steady_now() + end_here_within);
}

task<result<void>> engine_sandbox::end_by_engine()
{
    const auto deadline = services_.time.steady_now() + end_within;
    auto killed = co_await engine_.kill(handle(), "SIGKILL", deadline);
    if (killed.has_error())
        co_return killed;
    auto waiting = engine_.wait(handle());
    const auto status = co_await with_deadline(services_.time, deadline, std::move(waiting));
    co_return status.has_error() ? result<void>(status.error()) : result<void>();
}

task<result<void>> engine_sandbox::stop()
{
    watched_->status.ended_here();
    result<void> ended;
    if (!co_await end_here())
        ended = co_await end_by_engine();
    co_await docker::look_at(&services_.on, watched_, services_.time.steady_now() + container_call_within);
    watched_->changed.notify_all();
    if (ended.has_error() && ended.error().code == errc::not_found)
        co_return result<void>();
    co_return ended;
}

task<result<void>> engine_sandbox::destroy()
{
    watched_->status.ended_here();
    static_cast<void>(co_await end_here());
    auto removed = co_await engine_.remove(handle(), services_.time.steady_now() + end_within);
    if (removed.has_error())
        co_return removed;
    watched_->status.note_look(error{errc::not_found, "it was removed"});
    watched_->changed.notify_all();
    if (!owns_image_)
        co_return result<void>();
    docker::images images(services_.on);
    co_return co_await remove_trial_image(&images, id_, services_.time.steady_now() + container_call_within);
}

}    // namespace caisson
