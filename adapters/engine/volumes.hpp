#pragma once

#include "adapters/engine/engine.hpp"

#include <string>
#include <vector>

namespace caisson::docker {

struct volume_info {
    std::string name;
    std::string made_at;    // as the engine writes it; empty if it does not tell
};

/// Named volumes of one engine, which outlives this. Engines make one when a container with it is made. Errors: those of engine.
class volumes {
public:
    explicit volumes(engine& on) : engine_(on) { }

    /// Errors: errc::not_found.
    task<result<volume_info>> inspect(std::string name, steady_time deadline);
    /// Those whose names begin so.
    task<result<std::vector<volume_info>>> list(std::string begin, steady_time deadline);
    /// One that is not there is no error. Errors: errc::conflict if a container uses it, also one that does not run.
    task<result<void>> remove(std::string name, steady_time deadline);

private:
    engine& engine_;
};

}    // namespace caisson::docker
