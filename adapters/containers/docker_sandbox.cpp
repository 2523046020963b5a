#include "adapters/containers/docker_sandbox.hpp"

#include "adapters/containers/engine_host.hpp"
#include "adapters/containers/trial_images.hpp"
#include "adapters/engine/container_end.hpp"
#include "core/async/deadline.hpp"
#include "core/protocol/unix_stream.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;
using exit_task = task<std::optional<int>>;

constexpr auto come_within = 3s;    // the agent retries at least each second; callers of connect() give up after 5 s
constexpr auto ask_within = 1s;
constexpr auto notice_within = 5s;     // for the engine to notice the end of a process
constexpr auto change_within = 10s;    // for pause, unpause and kill
constexpr auto remove_within = 20s;

/// After the agent's end: waits until the engine notices and returns the cause.
task<std::string> tell_end(docker::engine* on, local_record::container made)
{
    auto& time = on->time();
    docker::containers all(*on);
    const auto until = time.steady_now() + notice_within;
    auto found = co_await all.inspect(made.id, until);
    while (found.has_value() && found->pid != 0 && time.steady_now() < until) {
        co_await time.wait_for(20ms);
        found = co_await all.inspect(made.id, until);
    }
    const auto listener = docker::listener_of(on->address());
    auto engine = docker::engine_since::the_same;
    if (made.engine_pid != 0 && listener && *listener != made.engine_pid) {
        const auto about = co_await on->info(until);
        if (about.has_value() && !about->live_restore)    // otherwise containers survive a restart
            engine = docker::engine_since::another;
    }
    co_return docker::cause_of_end(found, engine);
}

/// Owns all its data: the sandbox may be destroyed meanwhile.
task<std::string> watch_container(docker::engine* on, std::optional<exit_task> agent, std::optional<local_record::container> made)
{
    if (agent)
        (void)co_await std::move(*agent);
    if (!made || made->id.empty())
        co_return "the agent does not run";
    co_return co_await tell_end(on, std::move(*made));
}

}    // namespace

docker_sandbox::docker_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory,
    live_set live, uid_allocator& uids, docker::engine& on, const docker::container_settings& settings)
    : isolated_sandbox(services, std::move(id), std::move(record), std::move(directory), std::move(live), uids)
    , engine_(on)
    , containers_(on)
    , settings_(settings)
{
}

result<void> docker_sandbox::open_listener()
{
    auto socket = directory().listen_in_link();
    if (socket.has_error())
        return socket.error();
    door_.emplace(services().executor, services().time, std::move(*socket));
    return {};
}

task<result<std::unique_ptr<protocol::byte_stream>>> docker_sandbox::connect()
{
    if (!agent() || !agent()->alive() || !stored().has_directory())
        co_return error{errc::runtime_unavailable, "the agent does not run"};
    if (!door_) {
        auto opened = open_listener();
        if (opened.has_error())
            co_return opened.error();
    }
    const auto before = door_->strangers();
    auto coming = door_->accept(agent()->identity().pid, services().time.steady_now() + come_within);
    auto first = co_await race(std::move(coming), agent()->wait());
    report_strangers(before);
    if (first.index() == 1)
        co_return error{errc::runtime_unavailable, "the agent is gone"};
    auto& accepted = std::get<0>(first);
    if (accepted.has_error() && accepted.error().code == errc::timed_out)
        co_return co_await explain_silence(accepted.error());
    if (accepted.has_error())
        co_return accepted.error();
    pause_was_told_ = false;
    co_return protocol::make_unix_stream(services().executor, std::move(*accepted));
}

void docker_sandbox::report_strangers(std::size_t before)
{
    if (const auto count = door_->strangers() - before; count > 0)
        services().log.warning(
            "connections to the agent's socket that are not its were closed", {{"sandbox", id().str()}, {"count", count}});
}

/// Adds the cause if a pause from outside keeps the agent from connecting. It continues after an unpause.
task<error> docker_sandbox::explain_silence(error what)
{
    const auto found = co_await containers_.inspect(container(), services().time.steady_now() + ask_within);
    if (found.has_error() || found->state != docker::container_state::paused || paused_here_)
        co_return what;
    if (!std::exchange(pause_was_told_, true))
        services().log.warning("a container was paused from outside: its sandbox stands still",
            {{"sandbox", id().str()}, {"container", found->name}, {"remedy", "docker unpause " + found->name}});
    what.detail = "the container is paused from outside: docker unpause " + found->name;
    co_return what;
}

/// Sums the work directory, /tmp and /dev/shm, which are separate file systems.
std::optional<disk_usage> docker_sandbox::disk() const
{
    auto seen = isolated_sandbox::disk();
    for (const char* place : {"/tmp", "/dev/shm"}) {
        const auto other = disk_at(place);
        if (!seen || !other)
            continue;
        seen->bytes_exhausted = seen->bytes_exhausted || other->bytes_exhausted;
        seen->inodes_exhausted = seen->inodes_exhausted || other->inodes_exhausted;
        seen->bytes_used += other->bytes_used;
    }
    return seen;
}

task<std::string> docker_sandbox::ended()
{
    // Not a coroutine: the task owns its descriptors, so the sandbox may be destroyed first.
    std::optional<exit_task> agent_ends;
    if (agent())
        agent_ends = agent()->wait();
    return watch_container(&engine_, std::move(agent_ends), record().made_of);
}

task<std::string> docker_sandbox::why_gone()
{
    if (container().empty())
        co_return co_await local_sandbox::why_gone();
    co_return co_await tell_end(&engine_, *record().made_of);
}

task<result<void>> docker_sandbox::pause()
{
    if (groups().can_freeze())
        co_return co_await local_sandbox::pause();
    auto done = co_await containers_.pause(container(), services().time.steady_now() + change_within);
    paused_here_ = done.has_value();
    co_return done;
}

task<result<void>> docker_sandbox::resume()
{
    if (groups().can_freeze())
        co_return co_await local_sandbox::resume();
    auto done = co_await containers_.unpause(container(), services().time.steady_now() + change_within);
    if (done.has_value())
        paused_here_ = false;
    co_return done;
}

task<result<void>> docker_sandbox::stop()
{
    auto done = co_await local_sandbox::stop();
    if (done.has_value() || container().empty())
        co_return done;
    // Processes of a paused container do not die; the engine thaws it for its kill.
    auto killed = co_await containers_.kill(container(), "SIGKILL", services().time.steady_now() + change_within);
    if (killed.has_error() && killed.error().code != errc::not_found)
        co_return done;
    co_return co_await local_sandbox::stop();
}

/// True if a container may exist; also if the record, and with it the creation time, is lost.
bool docker_sandbox::was_asked_for() const { return record().made_of || record().made_at_ns == 0; }

task<result<std::vector<std::string>>> docker_sandbox::find_containers(steady_time deadline)
{
    if (!container().empty())
        co_return std::vector{container()};
    auto listed = co_await containers_.list(docker::own_labels(settings_), deadline);
    if (listed.has_error())
        co_return listed.error();
    std::vector<std::string> found;
    for (auto& each : *listed)
        if (docker::sandbox_of(each.labels, settings_) == id())
            found.push_back(std::move(each.id));
    co_return found;
}

task<result<void>> docker_sandbox::remove_outside()
{
    if (!was_asked_for())
        co_return result<void>();
    control_group(record().group).kill();    // at once: the engine is slow
    const auto deadline = services().time.steady_now() + remove_within;
    auto found = co_await find_containers(deadline);
    if (found.has_error())
        co_return found.error();
    for (const auto& each : *found) {
        auto removed = co_await containers_.remove(each, deadline);
        if (removed.has_error())
            co_return removed;
    }
    if (record().made_of && record().made_of->image != trial_image_of(id()))
        co_return result<void>();
    docker::images images(engine_);
    co_return co_await remove_trial_image(&images, id(), deadline);
}

}    // namespace caisson
