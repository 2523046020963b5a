#pragma once

#include "adapters/engine/engine.hpp"

#include <string>
#include <vector>

namespace caisson::docker {

struct volume_info {
    std::string name;
    std::string made_at;    // in the engine's format; empty if unknown
};

/// The named volumes of one engine, which must outlive this. The engine creates a volume with the first container that uses it.
/// Errors: those of engine.
class volumes {
public:
    explicit volumes(engine& on) : engine_(on) { }

    /// Errors: errc::not_found.
    task<result<volume_info>> inspect(std::string name, steady_time deadline);
    /// The volumes whose names start with `begin`.
    task<result<std::vector<volume_info>>> list(std::string begin, steady_time deadline);
    /// Succeeds if the volume does not exist. Errors: errc::conflict if a container, running or not, uses it.
    task<result<void>> remove(std::string name, steady_time deadline);

private:
    engine& engine_;
};

}    // namespace caisson::docker
