#pragma once

#include "adapters/engine/container_types.hpp"

#include <string>
#include <vector>

namespace caisson::docker {

/// Another server with containers on the engine, identified by their labels.
struct foreign_server {
    std::string instance;
    std::size_t containers = 0;
    std::size_t running = 0;    // of these
    std::string data_dir;       // from the server's mark on this host; empty: unknown
    bool alive = false;         // from that mark
};

/// The other instances than `own` among containers whose names start with `prefix`. Does not set data_dir and alive.
std::vector<foreign_server> foreign_servers_of(
    const std::vector<container_summary>& all, const std::string& prefix, const std::string& own);

}    // namespace caisson::docker
