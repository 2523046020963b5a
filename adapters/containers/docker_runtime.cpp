#include "adapters/containers/docker_runtime.hpp"

#include "adapters/containers/engine_host.hpp"
#include "adapters/containers/engine_record.hpp"
#include "adapters/containers/trial_images.hpp"
#include "adapters/engine/container_end.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/small_file.hpp"
#include "core/async/uncancellable.hpp"

#include <algorithm>
#include <filesystem>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto make_within = 20s;
constexpr auto start_within = 60s;
constexpr auto look_within = 5s;
constexpr auto sweep_within = 3s;
constexpr auto away_for = 5s;

/// The pids limit of the engine's cgroup: it holds the agent and starting programs until they join the server's cgroup.
constexpr std::int64_t agent_pids = 64;

std::string passwd_of(uid_t uid, const std::string& work_directory)
{
    const auto number = std::to_string(uid);
    return "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
           "sandbox:x:" +
           number + ":" + number + ":sandbox:" + work_directory +
           ":/bin/sh\n"
           "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
}

std::string group_of(uid_t uid) { return "root:x:0:\nsandbox:x:" + std::to_string(uid) + ":\nnogroup:x:65534:\n"; }

std::string status_of(pid_t pid) { return read_small_file("/proc/" + std::to_string(pid) + "/status").value_or(""); }

/// True if the process is the first of a pid namespace and has this uid, which no other sandbox has.
bool is_agent(std::string_view status, uid_t uid)
{
    const auto pids = status_value(status, "NSpid");
    return status_value(status, "Uid").starts_with(std::to_string(uid) + "\t") && pids.ends_with("\t1");
}

/// The inodes of a tmpfs that are not files: its root and the mount points of trees.
std::int64_t inodes_beside_files(const std::vector<sandbox_tree>& trees)
{
    std::int64_t count = 1;
    for (const auto& tree : trees)
        count += 1 + std::ranges::count(tree.place, '/');
    return count;
}

/// The limits that the engine must enforce, since the server's own cgroups do not.
unsigned limits_of_engine(const control_group& own)
{
    unsigned limits = 0;
    if (!own.controls(cgroup_control::memory))
        limits |= docker::container_limit::memory | docker::container_limit::swap;
    if (!own.controls(cgroup_control::pids))
        limits |= docker::container_limit::pids;
    if (!own.controls(cgroup_control::cpu))
        limits |= docker::container_limit::cpu;
    return limits;
}

/// Converts an engine's error to errc::runtime_unavailable, except timeouts and errors of the image.
error as_failure(error what)
{
    if (what.code != errc::timed_out && what.code != errc::image_unavailable && what.code != errc::image_not_allowed)
        what.code = errc::runtime_unavailable;
    return what;
}

}    // namespace

docker_runtime::docker_runtime(local_services services, docker::engine& on, docker_options options)
    : local_runtime(options.name, services, options.local)
    , options_(std::move(options))
    , settings_{.instance = options_.local.instance,
          .runtime = options_.name,
          .engine_runtime = options_.engine_runtime,
          .name_prefix = options_.name_prefix,
          .image = options_.default_image,
          .link = docker::agent_way::socket,
          .disk_reads = options_.disk_reads}
    , engine_(on)
    , containers_(on)
    , images_(on)
    , warnings_(services.log)
    , uids_(options_.uid_lock_dir, options_.first_uid, options_.last_uid)
{
}

std::unique_ptr<local_sandbox> docker_runtime::make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory)
{
    return std::make_unique<docker_sandbox>(
        services(), std::move(id), std::move(record), std::move(directory), live(), uids_, engine_, settings_);
}

result<void> docker_runtime::take_uid(local_sandbox& created)
{
    auto lease = uids_.acquire({options().instance, options().data_dir, created.id(), ""});
    if (lease.has_error())
        return lease.error();
    created.hold(std::move(*lease));
    return {};
}

result<void> docker_runtime::prepare(local_sandbox& created)
{
    const auto uid = *created.record().uid;
    auto done = created.directory().write_file("passwd", passwd_of(uid, created.record().work_directory));
    if (!done.has_error())
        done = created.directory().write_file("group", group_of(uid));
    return done;
}

/// The server's cgroups limit programs if they have the controllers: then the engine's limits cover only the agent and the files.
docker::container_spec docker_runtime::plan(const local_sandbox& created, const sandbox_spec& spec) const
{
    const auto directory = std::filesystem::absolute(created.directory().path()).string();
    const auto uid = std::to_string(created.record().uid.value());
    auto settings = settings_;
    settings.user = uid + ":" + uid;
    settings.agent = directory + "/agent";
    settings.link_directory = directory + "/link";
    if (bounds_disks_)
        settings.disks = paths_of(block_devices());
    settings.binds = {{directory + "/passwd", "/etc/passwd"}, {directory + "/group", "/etc/group"}};
    auto planned = docker::plan_container(spec, settings);
    planned.entrypoint.insert(planned.entrypoint.begin() + 1, "--confine");
    for (auto& place : planned.tmpfs)
        place.inodes += inodes_beside_files(place.path == spec.work_directory ? spec.trees : std::vector<sandbox_tree>());
    const auto& groups = created.record().group;
    if (groups.controls(cgroup_control::memory))
        planned.memory_bytes = docker::agent_memory_bytes + spec.limits.disk_bytes;
    if (groups.controls(cgroup_control::pids))
        planned.pids = agent_pids;
    return planned;
}

task<result<void>> docker_runtime::prepare_outside(local_sandbox* created, sandbox_spec spec)
{
    if (spec.image.empty())
        spec.image = options_.default_image;
    if (spec.image.empty())
        co_return error{errc::runtime_unavailable, "no image is named, and there is no default: set images.default"};
    // The record tells a later server that there may be a container. Even when cancelled, this waits for the engine, which may create
    // it all the same: then it must be removed.
    auto asked = created->stored().set_container(
        {.id = "", .name = docker::container_name(spec.id, settings_), .image = spec.image, .engine_pid = 0, .image_digest = ""});
    if (asked.has_error())
        co_return asked;
    auto copied = co_await copy_agent(created);
    if (copied.has_error())
        co_return copied;
    if (spec.image == trial_image_of(spec.id)) {
        auto imported = co_await uncancellable(import_trial_image(&images_, spec.id, settings_));
        if (imported.has_error())
            co_return as_failure(imported.error());
    }
    co_return co_await uncancellable(make_container(created, std::move(spec)));
}

task<result<void>> docker_runtime::copy_agent(const local_sandbox* created)
{
    auto copy = [into = created->directory().path(), from = options().agent_path] {
        return run_directory::copy_program(into, "agent", from);
    };
    return offload(services().workers, std::move(copy));
}

task<result<void>> docker_runtime::make_container(local_sandbox* created, sandbox_spec spec)
{
    auto warned = co_await create_container(created, std::move(spec));
    if (warned.has_error())
        co_return as_failure(warned.error());
    co_return warnings_.take(*warned, limits_of_engine(created->record().group));
}

/// Returns the engine's warnings.
task<result<std::vector<std::string>>> docker_runtime::create_container(local_sandbox* created, sandbox_spec spec)
{
    const auto image = co_await docker::find_image(&images_, spec.image, services().time.steady_now() + look_within);
    if (image.has_error())
        co_return image.error();
    auto planned = plan(*created, spec);
    const auto fitted = docker::leave_out_settings(planned, *image);
    if (fitted.has_error())
        co_return fitted.error();
    auto made = co_await containers_.create(std::move(planned), services().time.steady_now() + make_within);
    if (made.has_error() && made.error().code == errc::not_found)
        co_return error{errc::image_unavailable, "the engine does not have the image " + spec.image + ": " + made.error().detail};
    if (made.has_error())
        co_return made.error();
    auto container = created->record().made_of.value();
    container.id = std::move(made->id);
    container.image_digest = image->id;
    auto noted = created->stored().set_container(std::move(container));
    if (noted.has_error())
        co_return noted.error();
    co_return std::move(made->warnings);
}

task<result<void>> docker_runtime::start_local(local_sandbox* created)
{
    auto container = created->record().made_of.value();
    auto started = co_await containers_.start(container.id, services().time.steady_now() + start_within);
    if (started.has_error())
        co_return as_failure(started.error());
    auto found = co_await containers_.inspect(container.id, services().time.steady_now() + look_within);
    if (found.has_error())
        co_return as_failure(found.error());
    auto agent = found->pid != 0 ? process_handle::open_running(static_cast<pid_t>(found->pid)) : std::nullopt;
    if (!agent)
        co_return error{errc::runtime_unavailable,
            "the agent ended at once, with status " + std::to_string(found->exit_code) + (found->error.empty() ? "" : ": " + found->error)};
    // Checked after the handle was opened and while the process lives: so the status belongs to this process.
    if (!is_agent(status_of(agent->identity().pid), created->record().uid.value()) || !agent->alive())
        co_return error{
            errc::runtime_unavailable, "process " + std::to_string(found->pid) +
                                           " is not the container's agent: the engine does not see processes as the server does"};
    if (found->image_digest != container.image_digest)
        co_return docker::is_of_another_image(container.image, container.image_digest, found->image_digest);
    container.engine_pid = docker::listener_of(engine_.address()).value_or(0);
    container.image_digest = found->image_digest;
    auto noted = created->stored().set_container(std::move(container));
    if (noted.has_error())
        co_return noted;
    co_return created->adopt_agent(std::move(*agent));
}

bool docker_runtime::can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const
{
    return alike_but_for_groups(ready, wanted) && (ready.limits == wanted.limits || limits_of_engine(services().groups.root()) == 0);
}

/// A sandbox that used stdio cannot be recovered by this runtime, which uses sockets.
task<result<std::unique_ptr<sandbox>>> docker_runtime::recover(sandbox_id id, std::string runtime_state)
{
    const auto other_kind = engine_record::from_json(runtime_state).has_value();
    auto found = co_await local_runtime::recover(std::move(id), std::move(runtime_state));
    if (found.has_error() && found.error().code == errc::gone && other_kind)
        co_return error{errc::gone, std::string(docker::of_another_kind)};
    co_return found;
}

task<result<std::vector<docker::container_summary>>> docker_runtime::list_soon()
{
    const auto now = services().time.steady_now();
    const auto listener = docker::listener_of(engine_.address());
    if (away_until_ && now < *away_until_ && listener == away_listener_)
        co_return error{errc::runtime_unavailable, "the engine at " + engine_.address() + " did not answer a moment ago"};
    auto listed = co_await containers_.list(docker::own_labels(settings_), now + sweep_within);
    away_until_.reset();
    away_listener_ = listener;
    if (listed.has_error())
        away_until_ = services().time.steady_now() + away_for;
    co_return listed;
}

task<result<std::vector<sandbox_id>>> docker_runtime::left_overs()
{
    const auto listed = co_await list_soon();
    if (listed.has_error())
        co_return listed.error();
    auto found = co_await local_runtime::left_overs();
    if (found.has_error())
        co_return found;
    for (const auto& each : *listed) {
        auto id = docker::sandbox_of(each.labels, settings_);
        if (id && !live()->contains(*id) && std::ranges::find(*found, *id) == found->end())
            found->push_back(std::move(*id));
    }
    co_return co_await with_trial_images(std::move(*found));
}

/// Adds sandboxes whose server was killed after creating the trial image and before the container.
task<result<std::vector<sandbox_id>>> docker_runtime::with_trial_images(std::vector<sandbox_id> found)
{
    const auto trials = co_await trial_images_on(&images_, settings_, services().time.steady_now() + sweep_within);
    if (trials.has_error())
        co_return trials.error();
    for (const auto& id : *trials)
        if (!live()->contains(id) && std::ranges::find(found, id) == found.end())
            found.push_back(id);
    co_return found;
}

task<result<void>> docker_runtime::remove_left_over(sandbox_id id, std::string runtime_state)
{
    if (!live()->contains(id)) {
        const auto answers = co_await list_soon();
        if (answers.has_error())
            co_return answers.error();
    }
    co_return co_await local_runtime::remove_left_over(std::move(id), std::move(runtime_state));
}

}    // namespace caisson
