#pragma once

#include "adapters/engine/containers.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace caisson::docker {

/// What an engine has of one package.
struct stored_package {
    bool filled = false;    // to whatever end
    std::string made_at = {};
    std::vector<std::string> marks = {};    // names of volumes that say that it is whole
    std::int64_t bytes = 0;
    bool is_whole() const { return filled && marks.size() == 1; }
};

/// Volumes with packages, and their marks, as an engine has them. Errors: those of volumes and containers.
class stored_packages {
public:
    using listing = std::map<std::string, stored_package>;    // by the name of the volume with the files

    /// The engine outlives it.
    explicit stored_packages(engine& on) : engine_(on) { }

    /// Those whose names begin so.
    task<result<listing>> list(std::string begin);
    /// With its marks, which go last: they say nothing of one that is not there. Errors: errc::conflict if a container uses it.
    task<result<void>> remove(std::string name, stored_package what);
    /// As remove(), for one that cannot be used as it is: a killed server's helper may still have it, and is waited for.
    /// Errors: errc::runtime_unavailable if a container uses it all the time.
    task<result<void>> insist_on_removal(std::string name, stored_package what);
    /// Makes an empty volume, by `helper`, a container that never runs.
    task<result<void>> make_empty(std::string volume, container_spec helper);

private:
    steady_time soon() const;

    engine& engine_;
};

}    // namespace caisson::docker
