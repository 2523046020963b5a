#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/images/image_service.hpp"
#include "core/images/name_rules.hpp"

/// The pulls of image_service.
namespace caisson {

namespace {

using namespace std::chrono_literals;

/// The timeout for checking that an engine still answers after a failed pull.
constexpr auto look_after_failure = 5s;

error never_pulled(const std::string& reference)
{
    return {errc::not_found, "the image " + reference + " is not on the engine, and this server fetches none (images.pull = \"never\")"};
}

}    // namespace

/// One pull, shared by its waiters.
struct image_service::flight {
    flight(io_executor executor, std::string name) : reference(std::move(name)), changed(executor) { }

    const std::string reference;
    image_progress now;
    std::optional<result<stored_image>> outcome;
    notifier changed;
};

task<result<stored_image>> image_service::fetch(std::string reference, image_watcher watcher)
{
    if (engine_ == nullptr)
        co_return without_engine();
    if (options_.policy == pull_policy::never) {
        auto found = co_await engine_->inspect(reference, soon());
        co_return found.has_error() && found.error().code == errc::not_found ? never_pulled(reference) : found;
    }
    auto joined = join(reference);
    co_return co_await wait_for(std::move(joined), std::move(watcher));
}

void image_service::begin_fetch(const std::string& reference)
{
    if (options_.policy != pull_policy::never)
        join(reference);
}

image_service::flight_ptr image_service::join(const std::string& reference)
{
    if (const auto known = flights_.find(reference); known != flights_.end())
        return known->second;
    auto fresh = std::make_shared<flight>(executor_, reference);
    flights_.emplace(reference, fresh);
    work_.spawn("pull of " + reference, fly(fresh));
    return fresh;
}

task<result<stored_image>> image_service::wait_for(flight_ptr flight, image_watcher watcher)
{
    while (!flight->outcome) {
        if (watcher)
            watcher(flight->now);
        const auto seen = flight->changed.version();
        co_await flight->changed.wait_past(seen);
    }
    co_return *flight->outcome;
}

task<> image_service::fly(flight_ptr flight)
{
    auto pulling = without_exceptions(pull(flight));
    auto outcome = co_await std::move(pulling);
    known_.forget();
    if (outcome.has_error())
        log_.warning("an image cannot be fetched", {{"image", flight->reference}, {"what", outcome.error().detail}});
    else
        log_.info("an image was fetched", {{"image", flight->reference}, {"id", outcome->id}, {"bytes", outcome->size_bytes}});
    flight->outcome = std::move(outcome);
    flights_.erase(flight->reference);
    flight->changed.notify_all();
}

task<> image_service::wait_for_slot()
{
    while (pulling_ >= options_.max_pulls) {
        const auto seen = slots_.version();
        co_await slots_.wait_past(seen);
    }
}

task<result<stored_image>> image_service::pull(flight_ptr flight)
{
    co_await wait_for_slot();
    ++pulling_;
    const auto slot = std::shared_ptr<void>(nullptr, [this](void*) {
        --pulling_;
        slots_.notify_all();
    });
    auto pulled = co_await pull_from_registry(flight);
    if (pulled.has_error())
        co_return co_await name_failure(pulled.error(), flight->reference);
    co_return co_await engine_->inspect(flight->reference, soon());
}

task<result<void>> image_service::pull_from_registry(flight_ptr flight)
{
    std::optional<registry_login> login;
    if (options_.login) {
        auto known = options_.login(registry_of(flight->reference));
        if (known.has_error())
            co_return known.error();
        login = std::move(*known);
    }
    image_watcher watcher = [flight](const image_progress& now) {
        if (flight->now == now)
            return;
        flight->now = now;
        flight->changed.notify_all();
    };
    const auto deadline = time_.steady_now() + options_.pull_timeout;
    auto pulling = engine_->pull(flight->reference, std::move(login), std::move(watcher), options_.stall_timeout, deadline);
    auto pulled = co_await with_deadline(time_, deadline, std::move(pulling));
    if (pulled.has_error() && pulled.error().code == errc::timed_out)
        co_return error{errc::image_unavailable, "the image " + flight->reference + " did not come in time: " + pulled.error().detail};
    co_return pulled;
}

/// Tells a registry's failure from the engine's, which the engine reports alike: if the engine answers another call, the registry failed.
task<error> image_service::name_failure(error what, std::string reference)
{
    if (what.code != errc::runtime_unavailable)
        co_return what;
    auto asking = engine_->inspect(reference, time_.steady_now() + look_after_failure);
    const auto looked = co_await std::move(asking);
    const bool is_there = looked.has_value() || looked.error().code == errc::not_found;
    if (is_there)
        what.code = errc::image_unavailable;
    co_return what;
}

task<> image_service::fetch_wanted()
{
    for (const auto& each : options_.wanted) {
        auto asking = find(each);
        const auto found = co_await std::move(asking);
        if (found.has_error() && found.error().code == errc::not_found && options_.policy != pull_policy::never)
            join(each);
        else if (found.has_error())
            log_.warning("an image that is to be there at the start is not", {{"image", each}, {"what", found.error().detail}});
    }
    co_await work_.wait_idle();
}

task<> image_service::stop()
{
    co_await work_.stop();
    for (const auto& [reference, flight] : std::exchange(flights_, {})) {
        flight->outcome = error{errc::cancelled, "the server stops"};
        flight->changed.notify_all();
    }
}

}    // namespace caisson
