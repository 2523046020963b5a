#pragma once

#include "adapters/containers/package_entries.hpp"
#include "adapters/containers/package_names.hpp"
#include "adapters/containers/stored_packages.hpp"
#include "core/async/offload.hpp"
#include "core/base/log.hpp"

#include <memory>
#include <string>

namespace caisson::docker {

struct package_volumes_options {
    std::string instance;                  // of the server, which touches only its own volumes
    std::string trees;                     // the absolute directory on this host that contains all trees
    std::int64_t max_bytes = 2LL << 30;    // of all volumes, as tars; volumes in use may exceed it
    std::size_t max_volumes = 256;
};

/// Skills' packages on an engine that does not see this host's files. Each unpacked tree is a named volume, filled once through a
/// container that never runs. It is valid once a second volume, the mark, exists, whose name ends with the size. The next server finds
/// both by name. I/O thread only; all references must outlive it.
class package_volumes {
public:
    package_volumes(io_executor executor, engine& on, logger& log, worker_pool& workers, package_volumes_options options);

    /// Keeps a volume until its container is created; after that the engine keeps it. The package_volumes must outlive it.
    using use = package_use;

    /// Returns the volume for `tree`, filled. Creates the container `helper`, of any image and without other mounts, and removes it without
    /// starting it. Concurrent calls for one tree share a fill. Errors: errc::not_implemented if it is not a tree of the server; those of
    /// containers and tree_source.
    task<result<std::shared_ptr<const use>>> bring(std::string tree, container_spec helper);
    /// Succeeds if the volume is whole. Call after creating the container: had the volume been removed before, the engine would have
    /// mounted an empty one.
    task<result<void>> confirm(const use* what);

    /// Removes volumes without a tree and incomplete ones, except those that containers use. Returns how many.
    task<result<std::size_t>> sweep();

private:
    enum class remains { nothing, whole };    // what is left of a volume without a valid mark
    using entry_ptr = package_entry_ptr;
    using turn = package_entries::turn;

    task<result<void>> bring_now(entry_ptr entry, std::string tree, container_spec helper);
    task<result<remains>> clear(entry_ptr entry, stored_package what, container_spec helper);
    task<result<void>> fill(entry_ptr entry, std::string tree, container_spec helper);
    task<result<void>> fill_through(std::string container, std::string tree, std::int64_t* bytes);
    task<> learn(entry_ptr entry, std::string mark);
    task<> drop_half(entry_ptr entry);
    task<result<void>> make_room(std::int64_t bytes);

    engine& engine_;
    logger& log_;
    worker_pool& workers_;
    package_volumes_options options_;
    package_names names_;
    package_entries entries_;
    stored_packages stored_;
};

}    // namespace caisson::docker
