#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "adapters/host/fork_server.hpp"
#include "adapters/host/lock_looks.hpp"
#include "adapters/host/used_networks.hpp"
#include "core/async/offload.hpp"
#include "core/async/timers.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"

#include <memory>
#include <set>

namespace caisson {

/// Services of the runtimes of this host. All of them outlive the runtimes and their sandboxes.
struct local_services {
    io_executor executor;
    timers& time;
    logger& log;
    worker_pool& workers;
    cgroup_tree& groups;    // one for all runtimes of a server
    // Shared by all runtimes of a server: ids of sandboxes that have an object, and ids that a sweep is removing.
    std::shared_ptr<std::multiset<sandbox_id>> live = std::make_shared<std::multiset<sandbox_id>>();
    std::shared_ptr<std::set<sandbox_id>> swept = std::make_shared<std::set<sandbox_id>>();
    std::shared_ptr<fork_server> forks = std::make_shared<fork_server>();    // also shared by all runtimes
    std::shared_ptr<used_networks> networks = std::make_shared<used_networks>();
    std::shared_ptr<lock_looks> locks = std::make_shared<lock_looks>();
};

}    // namespace caisson
