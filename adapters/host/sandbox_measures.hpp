#pragma once

#include "adapters/host/cgroup/control_group.hpp"
#include "adapters/host/lock_looks.hpp"
#include "adapters/host/process.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/base/unique_fd.hpp"
#include "core/runtime/types.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace caisson {

/// Measures a sandbox from outside: how full its file systems are, and what its groups do not count. Each call names the agent, through
/// which the sandbox's namespaces are found; without one nothing is found. I/O thread.
class sandbox_measures {
public:
    /// `time` and `workers` outlive it. `locks` is shared by all sandboxes of the server.
    sandbox_measures(timers& time, worker_pool& workers, std::shared_ptr<lock_looks> locks)
        : time_(time), workers_(workers), locks_of_all_(std::move(locks))
    {
    }

    /// Usage of the tmpfs at `place`, absolute and directly below the sandbox's root; nothing if there is none.
    std::optional<disk_usage> disk_at(const std::optional<process_handle>& agent, const std::string& place);
    /// sandbox::uncounted_bytes(). `group` is the sandbox's; without members the descendants of the agent are its processes.
    std::int64_t uncounted_bytes(const std::optional<process_handle>& agent, const control_group& group, std::int64_t enough);
    /// Closes all descriptors, which keep file systems and namespaces. From now on it measures nothing.
    void close();

private:
    static unique_fd find_root(const std::optional<process_handle>& agent, const std::string& place);
    void find_sockets(const std::optional<process_handle>& agent);
    std::int64_t socket_bytes(const std::optional<process_handle>& agent, std::int64_t enough);
    std::int64_t own_udp_bytes(const std::optional<process_handle>& agent, std::int64_t enough);
    std::int64_t lock_bytes(const std::optional<process_handle>& agent, const control_group& group, std::int64_t enough);

    timers& time_;
    worker_pool& workers_;
    std::shared_ptr<lock_looks> locks_of_all_;
    bool is_closed_ = false;
    std::map<std::string, unique_fd> roots_;    // O_PATH of the tmpfs seen so far, by place, so that the next disk_at() is one call
    unique_fd netlink_;                         // the sandbox's netlink socket table, from the first count on
    unique_fd socket_numbers_;                  // the sandbox's sockstat, likewise
    steady_time next_udp_look_{};
    steady_time next_lock_look_{};
    steady_time asked_for_lock_look_{};    // last request
    lock_looks::count locks_ = std::make_shared<std::atomic<std::int64_t>>();
};

}    // namespace caisson
