#pragma once

#include "adapters/engine/containers.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace caisson::docker {

/// An engine's volumes of one package.
struct stored_package {
    bool filled = false;    // the volume exists, perhaps incomplete
    std::string made_at = {};
    std::vector<std::string> marks = {};    // the names of its marks
    std::int64_t bytes = 0;
    bool is_whole() const { return filled && marks.size() == 1; }
};

/// The package volumes and their marks on an engine. Errors: those of volumes and containers.
class stored_packages {
public:
    using listing = std::map<std::string, stored_package>;    // by the name of the package's volume

    /// The engine must outlive it.
    explicit stored_packages(engine& on) : engine_(on) { }

    /// The packages whose volume names start with `begin`.
    task<result<listing>> list(std::string begin);
    /// Removes the volume, then its marks: a mark without a volume has no meaning. Errors: errc::conflict if a container uses it.
    task<result<void>> remove(std::string name, stored_package what);
    /// Like remove(), for an unusable volume: waits up to 15 s, since a killed server's helper may still use it.
    /// Errors: errc::runtime_unavailable if a container still uses it then.
    task<result<void>> insist_on_removal(std::string name, stored_package what);
    /// Creates an empty volume through the container `helper`, which never runs.
    task<result<void>> make_empty(std::string volume, container_spec helper);

private:
    steady_time soon() const;

    engine& engine_;
};

}    // namespace caisson::docker
