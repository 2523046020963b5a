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
    std::vector<std::string> allowed;                           // for tenants that have no list of their own
    std::map<std::string, std::vector<std::string>> tenants;    // the lists of those that have one, by name
    pull_policy policy = pull_policy::missing;
    std::size_t max_pulls = 3;                            // at once
    std::chrono::milliseconds pull_timeout{1'800'000};    // of a pull, from its begin on
    std::chrono::milliseconds stall_timeout{120'000};     // while none of its layers moves
    std::vector<std::string> wanted;                      // what fetch_wanted() fetches
    /// Of a registry by its name; nothing: none is known. Asked before each pull. May be not set.
    std::function<result<std::optional<registry_login>>(const std::string& registry)> login = {};
    std::size_t max_allowed = 10'000;    // images that the API may allow
};

/// As the config has it, without `login`.
image_options image_options_of(const server_config& config);

/// Which images may be used, and how they come to the engine. I/O thread.
class image_service : public image_supply, public image_permissions {
public:
    /// All outlive it. `engine` may be null: then there are names that may be used, and no images.
    image_service(io_executor executor, timers& time, logger& log, allowed_image_store& store, image_engine* engine, image_options options);

    bool has_engine() const { return engine_ != nullptr; }

    // The allowlist.
    /// Exact names for one tenant: its list in the config, or the config's with what the API allowed for all; and what the API
    /// allowed for it. Errors: those of the store.
    task<result<std::vector<std::string>>> allowed_for(tenant_id tenant, std::string tenant_name);
    task<result<void>> check(tenant_id tenant, std::string tenant_name, std::string image) override;
    /// What the config allows whom has no list of their own.
    const std::vector<std::string>& configured() const { return options_.allowed; }
    const std::map<std::string, std::vector<std::string>>& configured_of_tenants() const { return options_.tenants; }
    task<result<std::vector<allowed_image>>> added() { return store_.list(); }
    /// Says whether it is new. Errors: errc::quota_exceeded.
    task<result<bool>> allow(allowed_image what) { return store_.add(std::move(what), options_.max_allowed); }
    /// Errors: errc::not_found, also for one that only the config allows.
    task<result<void>> disallow(std::string image, std::optional<std::string> tenant_name);

    // Images. Errors of all: those of image_engine; errc::not_implemented without an engine.
    task<result<stored_image>> find(std::string reference) override;
    std::optional<stored_image> find_now(const std::string& reference) override;
    task<result<stored_image>> ensure(std::string reference, image_watcher watcher) override;
    task<result<std::vector<stored_image>>> list();
    task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes);
    task<result<std::vector<std::string>>> load(tar_source* tar);
    /// Errors: errc::conflict also while it is being pulled.
    task<result<void>> remove(std::string reference);
    /// As ensure(), also where the engine has it already, so that a newer one comes.
    task<result<stored_image>> fetch(std::string reference, image_watcher watcher);
    /// Begins what fetch() does and does not wait for it. There is an engine.
    void begin_fetch(const std::string& reference);

    /// Fetches `options.wanted`, of which the engine may have some; what fails is logged. Returns when that is over.
    task<> fetch_wanted();
    /// Hears what becomes of the engine's images, which spares find() to ask it each time. There is an engine; until it is cancelled.
    task<> follow();
    /// Asks again for what was used lately before it is too old, so that who uses it next finds it known. There is an engine; until it is
    /// cancelled.
    task<> keep_known();
    /// Ends pulls that are under way; who waits gets errc::cancelled.
    task<> stop();

    /// Why there are no images.
    static error without_engine();
    /// How many are under way or wait for their turn.
    std::size_t pulls() const { return flights_.size(); }

private:
    struct flight;
    using flight_ptr = std::shared_ptr<flight>;

    const std::vector<std::string>& configured_for(const std::string& tenant_name) const;
    // image_pulls.cpp
    flight_ptr join(const std::string& reference);
    task<> fly(flight_ptr one);
    task<result<stored_image>> pull(flight_ptr one);
    task<result<void>> pull_from_registry(flight_ptr one);
    task<> wait_for_slot();
    task<result<stored_image>> wait_for(flight_ptr one, image_watcher watcher);
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
    notifier asked_;    // the engine, for an image
    std::map<std::string, flight_ptr, std::less<>> flights_;
    std::size_t pulling_ = 0;
    notifier slots_;
    task_group work_;
};

}    // namespace caisson
