#include "adapters/containers/engine_runtime.hpp"

#include "adapters/containers/container_kill.hpp"
#include "adapters/containers/image_settings.hpp"
#include "adapters/containers/trial_images.hpp"
#include "adapters/host/sweep_mark.hpp"
#include "core/async/uncancellable.hpp"

#include <algorithm>
#include <filesystem>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto call_within = 5s;
constexpr auto remove_record_within = 10s;
constexpr auto end_left_over_within = 15s;
constexpr auto sweep_grace = 15s;

/// Converts an engine's error to errc::runtime_unavailable, except timeouts, errors of the image and errc::not_implemented.
error failure_of(error what)
{
    if (what.code != errc::timed_out && what.code != errc::image_unavailable && what.code != errc::image_not_allowed &&
        what.code != errc::not_implemented)
        what.code = errc::runtime_unavailable;
    return what;
}

docker::container_settings settings_of(const engine_runtime_options& options)
{
    docker::container_settings out;
    out.instance = options.instance;
    out.runtime = options.name;
    out.engine_runtime = options.engine_runtime;
    out.name_prefix = options.name_prefix;
    out.user = options.user;
    out.image = options.default_image;
    out.entry = options.agent_volume.empty() ? docker::agent_entry::bind : docker::agent_entry::volume;
    out.agent = options.agent_volume.empty() ? std::filesystem::absolute(options.agent_path).string() : options.agent_volume;
    out.link = docker::agent_way::stdio;
    out.disk_reads = options.disk_reads;
    out.counts_threads = options.name == "gvisor" || options.engine_runtime.starts_with("runsc");
    return out;
}

}    // namespace

engine_runtime::engine_runtime(engine_services services, worker_pool& workers, engine_runtime_options options)
    : services_(services)
    , options_(std::move(options))
    , settings_(settings_of(options_))
    , bounds_disks_(options_.sees_disks)
    , engine_(services_.on)
    , images_(services_.on)
    , volume_(services_.executor, services_.on, workers, options_.agent_volume, options_.agent_path)
    , warnings_(services_.log)
{
    capabilities_ = known_without_trying();
    capabilities_.unavailable_reason = "not tried yet";
}

std::unique_ptr<engine_sandbox> engine_runtime::object_of(sandbox_id id, std::string work_directory, std::string image)
{
    engine_record record;
    record.runtime = name();
    record.work_directory = std::move(work_directory);
    record.image = std::move(image);
    record.stamp(services_.time.steady_now());
    return std::make_unique<engine_sandbox>(services_, std::move(id), std::move(record), settings_);
}

task<result<std::unique_ptr<sandbox>>> engine_runtime::create(sandbox_spec spec)
{
    if (spec.image.empty())
        spec.image = options_.default_image;
    if (spec.image.empty())
        co_return error{errc::runtime_unavailable, "no image is named, and there is no default: set images.default"};
    auto created = object_of(spec.id, spec.work_directory, spec.image);
    const auto id = spec.id;
    std::exception_ptr failure;
    result<void> made;
    try {
        made = co_await make_container(created.get(), std::move(spec));
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure && !made.has_error())
        co_return std::unique_ptr<sandbox>(std::move(created));
    // After a lost answer there may be a container. If it cannot be removed now, a sweep removes it.
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto removed = co_await uncancellable(created->destroy());
    if (removed.has_error())
        services_.log.warning(
            "a container that could not be made may be there", {{"sandbox", id.str()}, {"reason", removed.error().detail}});
    if (failure)
        std::rethrow_exception(failure);
    co_return failure_of(made.error());
}

task<result<void>> engine_runtime::make_container(engine_sandbox* created, sandbox_spec spec)
{
    const auto image = co_await docker::find_image(&images_, spec.image, services_.time.steady_now() + call_within);
    if (image.has_error())
        co_return image.error();
    supplies brought;
    if (settings_.entry == docker::agent_entry::volume) {
        auto bringing = co_await bring_supplies(spec, *image);
        if (bringing.has_error())
            co_return bringing.error();
        brought = std::move(*bringing);
        mount_supplies(spec, brought);
    }
    auto settings = settings_;
    if (bounds_disks_)
        settings.disks = paths_of(block_devices());
    auto planned = docker::plan_container(spec, settings);
    planned.entrypoint.insert(planned.entrypoint.begin() + 1, "--confine");
    const auto fitted = docker::leave_out_settings(planned, *image);
    if (fitted.has_error())
        co_return fitted;
    // Not cancellable: the engine might create the container after its removal.
    const auto made = co_await uncancellable(create_container(created, std::move(planned)));
    if (made.has_error())
        co_return made;
    co_return co_await confirm_supplies(&brought);
}

task<result<void>> engine_runtime::create_container(engine_sandbox* created, docker::container_spec planned)
{
    const auto made = co_await created->make(std::move(planned));
    if (made.has_error() && made.error().code == errc::not_found)
        co_return error{
            errc::image_unavailable, "the engine does not have the image " + created->record().image + ": " + made.error().detail};
    if (made.has_error())
        co_return made.error();
    co_return warnings_.take(*made, limits_);
}

task<result<void>> engine_runtime::start_container(engine_sandbox* created)
{
    auto done = co_await created->run();
    if (done.has_error())
        co_return failure_of(done.error());
    co_return done;
}

task<result<void>> engine_runtime::wait_for_sweep(sandbox_id id)
{
    const auto until = services_.time.steady_now() + sweep_grace;
    while (services_.swept->contains(id)) {
        if (services_.time.steady_now() >= until)
            co_return error{errc::timed_out, "a sweep has been removing it for " + std::to_string(sweep_grace.count()) + " s"};
        co_await services_.time.wait_for(5ms);
    }
    co_return result<void>();
}

task<result<std::unique_ptr<sandbox>>> engine_runtime::recover(sandbox_id id, std::string runtime_state)
{
    const auto waited = co_await wait_for_sweep(id);
    if (waited.has_error())
        co_return waited.error();
    auto record = engine_record::from_json(runtime_state).value_or(engine_record{});
    if (record.runtime != name())
        record = engine_record{.runtime = std::string(name())};
    auto found = std::make_unique<engine_sandbox>(services_, id, std::move(record), settings_);    // now in services_.live
    auto there = co_await found->find();
    if (!there.has_error())
        co_return std::unique_ptr<sandbox>(std::move(found));
    if (there.error().code != errc::gone)
        co_return there.error();
    const auto removed = co_await remove_containers(id);
    if (removed.has_error())
        services_.log.warning("a lost sandbox is not wholly removed", {{"sandbox", id.str()}, {"reason", removed.error().detail}});
    co_return there.error();
}

task<result<std::vector<sandbox_id>>> engine_runtime::left_overs()
{
    const auto listed = co_await engine_.list(docker::own_labels(settings_), services_.time.steady_now() + call_within);
    if (listed.has_error())
        co_return listed.error();
    std::vector<sandbox_id> ids;
    for (const auto& each : *listed) {
        auto id = docker::sandbox_of(each.labels, settings_);
        if (id && !services_.live->contains(*id) && std::ranges::find(ids, *id) == ids.end())
            ids.push_back(std::move(*id));
    }
    const auto trials = co_await trial_images_on(&images_, settings_, services_.time.steady_now() + call_within);
    if (trials.has_error())
        co_return trials.error();
    for (const auto& id : *trials)    // their server was killed before it created the container
        if (!services_.live->contains(id) && std::ranges::find(ids, id) == ids.end())
            ids.push_back(id);
    co_return ids;
}

task<result<void>> engine_runtime::remove_left_over(sandbox_id id, std::string)
{
    if (services_.live->contains(id))
        co_return error{errc::conflict, "the sandbox is in use"};
    const sweep_mark mark(services_.swept, id);
    co_return co_await remove_containers(id);
}

/// Finds the containers by their labels: the name prefix may have been different.
task<result<void>> engine_runtime::remove_containers(sandbox_id id)
{
    auto labels = docker::labels_of_sandbox(id, settings_);
    const auto listed = co_await engine_.list(std::move(labels), services_.time.steady_now() + call_within);
    if (listed.has_error())
        co_return listed.error();
    for (const auto& each : *listed) {
        auto ending = docker::end_from_here(&services_.on, each.id, {}, services_.time.steady_now() + end_left_over_within);
        static_cast<void>(co_await std::move(ending));
        auto removed = co_await engine_.remove(each.id, services_.time.steady_now() + remove_record_within);
        if (removed.has_error())
            co_return removed;
    }
    const auto trials = co_await trial_images_on(&images_, settings_, services_.time.steady_now() + call_within);
    if (trials.has_error())
        co_return trials.error();
    if (std::ranges::find(*trials, id) == trials->end())
        co_return result<void>();
    co_return co_await remove_trial_image(&images_, id, services_.time.steady_now() + call_within);
}

}    // namespace caisson
