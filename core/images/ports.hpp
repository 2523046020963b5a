#pragma once

#include "core/async/task.hpp"
#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/images/types.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A tar stream. It must outlive the call that reads it.
class tar_source {
public:
    virtual ~tar_source() = default;
    virtual std::uint64_t size_bytes() const = 0;
    /// The next bytes, at least one until size_bytes() were returned. An error ends the transfer with that error.
    virtual task<result<shared_bytes>> read() = 0;
};

/// Receives the progress of a pull. Must not throw.
using image_watcher = std::function<void(const image_progress&)>;

/// Receives changes of an engine's images. All members must be set and must not throw.
struct image_listener {
    std::function<void()> begun;                // changes are reported from now on
    std::function<void()> changed;              // an image was made, renamed or removed, by any client
    std::function<void(const error&)> broke;    // changes are not reported until `begun`; called once
};

/// The images of one container engine. I/O thread. Errors of all calls: errc::runtime_unavailable if the engine cannot be reached or
/// fails; errc::timed_out. The detail holds the engine's message.
class image_engine {
public:
    virtual ~image_engine() = default;

    /// `reference` is a name as docker reads it, or an id. Errors: errc::not_found.
    virtual task<result<stored_image>> inspect(std::string reference, steady_time deadline) = 0;
    virtual task<result<std::vector<stored_image>>> list(steady_time deadline) = 0;
    /// Fails after `stall` without progress in any layer. Errors: errc::not_found if no registry has the image, errc::forbidden if the
    /// registry requires another login.
    virtual task<result<void>> pull(std::string reference, std::optional<registry_login> login, image_watcher watcher,
        std::chrono::milliseconds stall, steady_time deadline) = 0;
    /// Makes an image named `reference` from a root file system. `changes` are lines of a Dockerfile ("ENV PATH=/usr/bin").
    virtual task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes) = 0;
    /// Loads the output of `docker save`. Returns the names of the loaded images.
    virtual task<result<std::vector<std::string>>> load(tar_source* tar) = 0;
    /// Errors: errc::conflict if a container uses the image; errc::not_found.
    virtual task<result<void>> remove(std::string reference, steady_time deadline) = 0;
    /// Reports changes of the images to `to` until cancelled, also across the engine's restarts.
    virtual task<> follow(image_listener to) = 0;
};

/// Images that the API allowed. Call from the I/O thread; changes are durable on return.
class allowed_image_store {
public:
    virtual ~allowed_image_store() = default;

    /// Sorted by image, entries for all tenants before entries of one tenant.
    virtual task<result<std::vector<allowed_image>>> list() = 0;
    /// Returns whether the entry is new; an existing one stays unchanged. Errors: errc::quota_exceeded beyond `most` entries.
    virtual task<result<bool>> add(allowed_image what, std::size_t most) = 0;
    /// Errors: errc::not_found.
    virtual task<result<void>> remove(std::string image, std::optional<tenant_id> tenant) = 0;
};

/// Decides which images a tenant may use.
class image_permissions {
public:
    virtual ~image_permissions() = default;

    /// Errors: errc::image_not_allowed, with the allowed names; those of allowed_image_store.
    virtual task<result<void>> check(tenant_id tenant, std::string tenant_name, std::string image) = 0;
};

/// Provides the images of sandboxes.
class image_supply {
public:
    virtual ~image_supply() = default;

    /// The image, if it can be used without a fetch. Errors: errc::not_found if ensure() must fetch it first; those of image_engine.
    virtual task<result<stored_image>> find(std::string reference) = 0;
    /// As find(), from the cache and without a wait; nothing if the cache does not know.
    virtual std::optional<stored_image> find_now(const std::string& reference) = 0;
    /// Fetches the image if necessary. Callers for one image share one pull, which continues if a caller is cancelled. Errors:
    /// errc::not_found if no registry has it, errc::forbidden if its registry requires another login, errc::image_unavailable if it cannot
    /// be fetched now, errc::runtime_unavailable if the engine cannot be reached.
    virtual task<result<stored_image>> ensure(std::string reference, image_watcher watcher) = 0;
};

}    // namespace caisson
