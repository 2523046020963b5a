#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"
#include "core/images/known_images.hpp"
#include "core/images/ports.hpp"

#include <map>
#include <memory>

namespace caisson {

struct image_options {
    std::vector<std::string> allowed;                           // for tenants without a list of their own
    std::map<std::string, std::vector<std::string>> tenants;    // tenants' own lists, by tenant name
    pull_policy policy = pull_policy::missing;
    std::size_t max_pulls = 3;                            // at once
    std::chrono::milliseconds pull_timeout{1'800'000};    // of a pull, from its begin
    std::chrono::milliseconds stall_timeout{120'000};     // without progress in any layer
    std::vector<std::string> wanted;                      // what fetch_wanted() fetches
    /// The login for a registry; nothing if none is configured. Called before each pull. May be empty.
    std::function<result<std::optional<registry_login>>(const std::string& registry)> login = {};
    std::size_t max_allowed = 10'000;    // images that the API may allow
};

/// The options from the config, without `login`.
image_options image_options_of(const server_config& config);

/// Manages the allowlist of images, and fetches images to the engine. I/O thread.
class image_service : public image_supply, public image_permissions {
public:
    /// All references and `engine` must outlive it. `engine` may be null: then only the allowlist works.
    image_service(io_executor executor, timers& time, logger& log, allowed_image_store& store, image_engine* engine, image_options options);

    bool has_engine() const { return engine_ != nullptr; }

    // The allowlist.
    /// The exact names that a tenant may use: its own list in the config, or else the general list with what the API allowed for all; in
    /// both cases with what the API allowed for this tenant. Errors: those of the store.
    task<result<std::vector<std::string>>> allowed_for(tenant_id tenant, std::string tenant_name);
    task<result<void>> check(tenant_id tenant, std::string tenant_name, std::string image) override;
    /// The config's list for tenants without a list of their own.
    const std::vector<std::string>& configured() const { return options_.allowed; }
    const std::map<std::string, std::vector<std::string>>& configured_of_tenants() const { return options_.tenants; }
    task<result<std::vector<allowed_image>>> added() { return store_.list(); }
    /// Returns whether the entry is new. Errors: errc::quota_exceeded.
    task<result<bool>> allow(allowed_image what) { return store_.add(std::move(what), options_.max_allowed); }
    /// Errors: errc::not_found, also for an image that only the config allows.
    task<result<void>> disallow(std::string image, std::optional<std::string> tenant_name);

    // Images. Common errors: those of image_engine; errc::not_implemented without an engine.
    task<result<stored_image>> find(std::string reference) override;
    std::optional<stored_image> find_now(const std::string& reference) override;
    task<result<stored_image>> ensure(std::string reference, image_watcher watcher) override;
    task<result<std::vector<stored_image>>> list();
    task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes);
    task<result<std::vector<std::string>>> load(tar_source* tar);
    /// Errors: errc::conflict also during a pull of the image.
    task<result<void>> remove(std::string reference);
    /// As ensure(), but pulls even if the engine has the image, to get a newer one.
    task<result<stored_image>> fetch(std::string reference, image_watcher watcher);
    /// Begins a fetch() without waiting for it. Requires an engine.
    void begin_fetch(const std::string& reference);

    /// Fetches those of `options.wanted` that the engine lacks, and waits for the end of all pulls. Logs failures.
    task<> fetch_wanted();
    /// Follows changes of the engine's images until cancelled, so that find() can answer from the cache. Requires an engine.
    task<> follow();
    /// Renews cache entries of recently used images before they expire, until cancelled. Requires an engine.
    task<> keep_known();
    /// Cancels all pulls; their waiters get errc::cancelled.
    task<> stop();

    /// The error for calls that need an engine.
    static error without_engine();
    /// The number of pulls that run or wait for a slot.
    std::size_t pulls() const { return flights_.size(); }

private:
    struct flight;
    using flight_ptr = std::shared_ptr<flight>;

    const std::vector<std::string>& configured_for(const std::string& tenant_name) const;
    // image_pulls.cpp
    flight_ptr join(const std::string& reference);
    task<> fly(flight_ptr flight);
    task<result<stored_image>> pull(flight_ptr flight);
    task<result<void>> pull_from_registry(flight_ptr flight);
    task<> wait_for_slot();
    task<result<stored_image>> wait_for(flight_ptr flight, image_watcher watcher);
    task<error> name_failure(error what, std::string reference);
    steady_time soon() const;
    bool is_to_be_fetched(const std::string& reference) const;
    task<result<stored_image>> ask_engine(std::string reference);

    io_executor executor_;
    timers& time_;
    logger& log_;
    allowed_image_store& store_;
    image_engine* engine_;
    image_options options_;
    known_images known_;
    notifier asked_;    // notified when the engine was asked for an image
    std::map<std::string, flight_ptr, std::less<>> flights_;
    std::size_t pulling_ = 0;
    notifier slots_;
    task_group work_;
};

}    // namespace caisson
