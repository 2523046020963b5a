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

/// A tar that is handed on as it comes. Outlives the call that reads it.
class tar_source {
public:
    virtual ~tar_source() = default;
    virtual std::uint64_t size_bytes() const = 0;
    /// The next bytes: some, until size_bytes() were given. An error ends the transfer with it.
    virtual task<result<shared_bytes>> read() = 0;
};

/// Told how far a pull is; must not throw.
using image_watcher = std::function<void(const image_progress&)>;

/// Told what becomes of an engine's images; each is set and must not throw.
struct image_listener {
    std::function<void()> begun;                // changes are heard from now on
    std::function<void()> changed;              // an image was made, named otherwise or removed, by whomever
    std::function<void(const error&)> broke;    // changes are not heard until `begun`; told once
};

/// The images of one container engine. I/O thread. Errors of all calls: errc::runtime_unavailable if the engine cannot be reached or
/// fails, errc::timed_out, each with what the engine says.
class image_engine {
public:
    virtual ~image_engine() = default;

    /// `reference` is a name as docker reads it, or an id. Errors: errc::not_found.
    virtual task<result<stored_image>> inspect(std::string reference, steady_time deadline) = 0;
    virtual task<result<std::vector<stored_image>>> list(steady_time deadline) = 0;
    /// No layer moving for `stall` ends it. Errors: errc::not_found if no registry has it, errc::forbidden if the registry wants
    /// another login.
    virtual task<result<void>> pull(std::string reference, std::optional<registry_login> login, image_watcher watcher,
        std::chrono::milliseconds stall, steady_time deadline) = 0;
    /// Makes an image called `reference` of a root file system. `changes` are lines of a Dockerfile ("ENV PATH=/usr/bin").
    virtual task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes) = 0;
    /// Of `docker save`. Returns the names that it brought.
    virtual task<result<std::vector<std::string>>> load(tar_source* tar) = 0;
    /// Errors: errc::conflict if a container uses it; errc::not_found.
    virtual task<result<void>> remove(std::string reference, steady_time deadline) = 0;
    /// Hears what becomes of its images until it is cancelled, over its restarts too.
    virtual task<> follow(image_listener to) = 0;
};

/// What the API allowed. Call from the I/O thread; durable on return.
class allowed_image_store {
public:
    virtual ~allowed_image_store() = default;

    /// Sorted by image, those for all before those of tenants.
    virtual task<result<std::vector<allowed_image>>> list() = 0;
    /// One that is there stays as it is; says whether it is new. Errors: errc::quota_exceeded beyond `most`.
    virtual task<result<bool>> add(allowed_image what, std::size_t most) = 0;
    /// Errors: errc::not_found.
    virtual task<result<void>> remove(std::string image, std::optional<tenant_id> tenant) = 0;
};

/// Which images a tenant may use.
class image_permissions {
public:
    virtual ~image_permissions() = default;

    /// Errors: errc::image_not_allowed, with the names that are allowed; those of allowed_image_store.
    virtual task<result<void>> check(tenant_id tenant, std::string tenant_name, std::string image) = 0;
};

/// Where sandboxes' images come from.
class image_supply {
public:
    virtual ~image_supply() = default;

    /// The image if it can be used as it is. Errors: errc::not_found if ensure() has to fetch it first; those of image_engine.
    virtual task<result<stored_image>> find(std::string reference) = 0;
    /// The same without a wait. Nothing: that is not known at this moment.
    virtual std::optional<stored_image> find_now(const std::string& reference) = 0;
    /// Fetches it if need be; all who ask for the same wait for one pull, which goes on if one of them leaves. Errors: errc::not_found
    /// if nobody has it, errc::forbidden if its registry wants another login, errc::image_unavailable if it cannot be had now,
    /// errc::runtime_unavailable if the engine is away.
    virtual task<result<stored_image>> ensure(std::string reference, image_watcher watcher) = 0;
};

}    // namespace caisson
