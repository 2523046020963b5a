#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "adapters/host/fork_server.hpp"
#include "app/server/containers.hpp"
#include "app/server/instance_mark.hpp"
#include "app/server/run_place.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// The runtimes that the config enables, in its order, and the control groups that they share. All arguments outlive it.
class host {
public:
    /// Logs a warning for each runtime that does not isolate. Throws std::runtime_error for an unknown runtime.
    host(const server_config& config, const std::string& instance, io_executor executor, timers& time, logger& log, worker_pool& work);

    /// Removes the groups that hold no sandbox.
    ~host();
    host(const host&) = delete;
    host& operator=(const host&) = delete;

    const cgroup_tree& groups() const { return groups_; }
    /// The enabled runtimes.
    std::vector<runtime*> enabled() const;
    /// The images of the engine that enabled runtimes use; null if none does.
    image_engine* images() const { return has_images_ ? &containers_->images() : nullptr; }
    /// Removes unneeded package volumes of the container engine; returns how many. Errors: those of the engine.
    task<result<std::size_t>> sweep_packages() const;
    /// The enabled runtimes, and those kept only for sandboxes of an earlier server.
    std::vector<runtime*> all() const;

private:
    void bound_disk_reads(const execution_config& config, logger& log);
    std::vector<unique_fd> fork_server_groups() const;

    instance_mark mark_;
    run_place run_place_;
    cgroup_tree groups_;
    std::shared_ptr<fork_server> forks_;        // in the groups shared by all agents
    std::unique_ptr<containers> containers_;    // null if no enabled runtime uses the engine and none listens on this host
    bool has_images_ = false;
    std::vector<std::unique_ptr<runtime>> runtimes_;
    std::vector<std::unique_ptr<runtime>> left_over_;    // runtimes not enabled, for sandboxes from when they were
};

/// Directory of lock files by which the servers of one host share uids.
std::string uid_lock_directory();

/// Options for the control groups of `instance`.
cgroup_tree_options cgroup_options_of(const server_config& config, const std::string& instance);

/// Runs a program on the host with a clean environment and returns its output (both streams, at most 64 KiB). For version probes. `time`
/// outlives the call. Errors: errc::runtime_unavailable if it cannot be started, errc::timed_out after 10 s.
task<result<std::string>> run_and_read(timers* time, std::vector<std::string> argv);

}    // namespace caisson
