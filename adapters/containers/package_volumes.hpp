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
    std::string instance;                  // of the server: nobody else's volumes are touched
    std::string trees;                     // the directory of this host that all trees lie below, absolute
    std::int64_t max_bytes = 2LL << 30;    // of all, as tars; what containers use stays beyond it
    std::size_t max_volumes = 256;
};

/// Skills' packages on an engine that does not see this host's files: each unpacked tree is a named volume, which is filled once, by
/// a container that never runs, and only counts once a second volume, whose name ends with its size, says that it is whole. Known
/// by their names alone, so that the next server finds them. I/O thread; what is passed in outlives it.
class package_volumes {
public:
    package_volumes(io_executor executor, engine& on, logger& log, worker_pool& workers, package_volumes_options options);

    /// A volume while a container is made of it: then the engine itself keeps it. The package_volumes outlives it.
    using use = package_use;

    /// The volume with what is in `tree`. `helper` is a container of any image, without mounts, and not there yet: it is made, never
    /// started, and removed. All who ask for the same tree wait for one fill. Errors: errc::not_implemented for what is no tree of
    /// the server's; those of containers and tree_source.
    task<result<std::shared_ptr<const use>>> bring(std::string tree, container_spec helper);
    /// Whether it is there as a whole now. Ask once it is mounted: who removed it before made the engine mount an empty one.
    task<result<void>> confirm(const use* what);

    /// Removes volumes whose tree is gone, and those that were never filled to the end; what containers use stays. Returns how many.
    task<result<std::size_t>> sweep();

private:
    enum class remains { nothing, whole };    // of a volume that did not count
    using entry_ptr = package_entry_ptr;
    using turn = package_entries::turn;

    task<result<void>> bring_now(entry_ptr one, std::string tree, container_spec helper);
    task<result<remains>> clear(entry_ptr one, stored_package what, container_spec helper);
    task<result<void>> fill(entry_ptr one, std::string tree, container_spec helper);
    task<result<void>> fill_through(std::string container, std::string tree, std::int64_t* bytes);
    task<> learn(entry_ptr one, std::string mark);
    task<> drop_half(entry_ptr one);
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
