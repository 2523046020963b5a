#include "core/images/image_service.hpp"

#include "core/skills/package_rules.hpp"

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// The timeout of calls that the engine answers without a registry. Listing many images takes it some seconds.
constexpr auto short_call = 30s;
constexpr std::chrono::milliseconds between_renewals = 250ms;

}    // namespace

image_options image_options_of(const server_config& config)
{
    image_options out;
    const auto& images = config.images;
    out.allowed = images.allowed;
    for (const auto& [name, tenant] : config.tenants)
        if (tenant.images)
            out.tenants.emplace(name, *tenant.images);
    out.policy = images.pull == "always" ? pull_policy::always : images.pull == "never" ? pull_policy::never : pull_policy::missing;
    out.max_pulls = static_cast<std::size_t>(images.max_pulls);
    out.pull_timeout = std::chrono::milliseconds(images.pull_timeout_ms);
    out.stall_timeout = std::chrono::milliseconds(images.stall_timeout_ms);
    out.wanted = images.ensure;
    return out;
}

image_service::image_service(
    io_executor executor, timers& time, logger& log, allowed_image_store& store, image_engine* engine, image_options options)
    : executor_(executor)
    , time_(time)
    , log_(log)
    , store_(store)
    , engine_(engine)
    , options_(std::move(options))
    , asked_(executor)
    , slots_(executor)
    , work_(executor, log)
{
}

error image_service::without_engine()
{
    return {errc::not_implemented, "this server has no container engine; a runtime with images (docker, gvisor) is to be enabled"};
}

steady_time image_service::soon() const { return time_.steady_now() + short_call; }

const std::vector<std::string>& image_service::configured_for(const std::string& tenant_name) const
{
    const auto own = options_.tenants.find(tenant_name);
    return own == options_.tenants.end() ? options_.allowed : own->second;
}

task<result<std::vector<std::string>>> image_service::allowed_for(tenant_id tenant, std::string tenant_name)
{
    auto rows = co_await store_.list();
    if (rows.has_error())
        co_return rows.error();
    const bool has_own = options_.tenants.contains(tenant_name);
    auto names = configured_for(tenant_name);
    for (auto& row : *rows) {
        const bool counts = row.tenant ? *row.tenant == tenant : !has_own;
        if (counts && std::ranges::find(names, row.image) == names.end())
            names.push_back(std::move(row.image));
    }
    co_return names;
}

task<result<void>> image_service::check(tenant_id tenant, std::string tenant_name, std::string image)
{
    const auto& configured = configured_for(tenant_name);
    if (std::ranges::find(configured, image) != configured.end())    // the common case needs no read
        co_return result<void>();
    const auto names = co_await allowed_for(std::move(tenant), std::move(tenant_name));
    if (names.has_error())
        co_return names.error();
    co_return check_image(image, *names);
}

task<result<void>> image_service::disallow(std::string image, std::optional<std::string> tenant_name)
{
    if (!tenant_name)
        co_return co_await store_.remove(std::move(image), std::nullopt);
    const auto rows = co_await store_.list();
    if (rows.has_error())
        co_return rows.error();
    const auto is_it = [&](const allowed_image& row) { return row.tenant && row.image == image && row.tenant_name == *tenant_name; };
    const auto row = std::ranges::find_if(*rows, is_it);
    if (row == rows->end())
        co_return error{errc::not_found, "the image " + image + " was not allowed for " + *tenant_name + " through the API"};
    co_return co_await store_.remove(std::move(image), row->tenant);
}

bool image_service::is_to_be_fetched(const std::string& reference) const
{
    return flights_.contains(reference) || options_.policy == pull_policy::always;
}

std::optional<stored_image> image_service::find_now(const std::string& reference)
{
    return is_to_be_fetched(reference) ? std::nullopt : known_.find(reference, time_.steady_now());
}

task<result<stored_image>> image_service::find(std::string reference)
{
    if (engine_ == nullptr)
        co_return without_engine();
    if (is_to_be_fetched(reference))
        co_return error{errc::not_found, "the image " + reference + " is to be fetched"};
    if (auto known = find_now(reference))
        co_return std::move(*known);
    co_return co_await ask_engine(std::move(reference));
}

task<result<stored_image>> image_service::ask_engine(std::string reference)
{
    const auto version = known_.version();
    const auto asked_at = time_.steady_now();
    auto found = co_await engine_->inspect(reference, soon());
    if (found.has_value())
        known_.keep(reference, *found, version, asked_at);
    else if (found.error().code == errc::not_found)
        known_.drop(reference);
    asked_.notify_all();
    co_return found;
}

task<> image_service::keep_known()
{
    for (;;) {
        const auto seen = asked_.version();
        if (known_.is_in_use(time_.steady_now()))
            co_await time_.wait_for(between_renewals);
        else
            co_await asked_.wait_past(seen);
        for (auto& reference : known_.due(time_.steady_now()))
            static_cast<void>(co_await ask_engine(std::move(reference)));
    }
}

task<> image_service::follow()
{
    image_listener to;
    to.begun = [this] { known_.begin_hearing(); };
    to.changed = [this] { known_.forget(); };
    to.broke = [this](const error& why) {
        known_.end_hearing();
        log_.info("the engine's images are looked up for each run: its events are not heard", {{"what", why.detail}});
    };
    auto following = engine_->follow(std::move(to));
    co_await std::move(following);
}

task<result<stored_image>> image_service::ensure(std::string reference, image_watcher watcher)
{
    auto found = co_await find(reference);
    if (found.has_value() || found.error().code != errc::not_found)
        co_return found;
    co_return co_await fetch(std::move(reference), std::move(watcher));
}

task<result<std::vector<stored_image>>> image_service::list()
{
    if (engine_ == nullptr)
        co_return without_engine();
    co_return co_await engine_->list(soon());
}

task<result<void>> image_service::import(std::string reference, tar_source* tar, std::vector<std::string> changes)
{
    if (engine_ == nullptr)
        co_return without_engine();
    auto done = co_await engine_->import(std::move(reference), tar, std::move(changes));
    known_.forget();
    co_return done;
}

task<result<std::vector<std::string>>> image_service::load(tar_source* tar)
{
    if (engine_ == nullptr)
        co_return without_engine();
    auto done = co_await engine_->load(tar);
    known_.forget();
    co_return done;
}

task<result<void>> image_service::remove(std::string reference)
{
    if (engine_ == nullptr)
        co_return without_engine();
    if (flights_.contains(reference))
        co_return error{errc::conflict, "the image " + reference + " is being pulled"};
    auto done = co_await engine_->remove(std::move(reference), soon());
    known_.forget();
    co_return done;
}

}    // namespace caisson
