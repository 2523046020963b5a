#pragma once

#include "adapters/engine/container_types.hpp"

#include <string>
#include <vector>

namespace caisson::docker {

/// Another server whose containers are on an engine, by their labels.
struct foreign_server {
    std::string instance;
    std::size_t containers = 0;
    std::size_t running = 0;    // of these
    std::string data_dir;       // where a mark of this host says that it is; empty: nobody here knows
    bool alive = false;         // by that mark
};

/// Of containers whose names begin with `prefix` those that are not of the instance `own`, by their instances. Nothing is known of data
/// directories and lives.
std::vector<foreign_server> foreign_servers_of(
    const std::vector<container_summary>& all, const std::string& prefix, const std::string& own);

}    // namespace caisson::docker
