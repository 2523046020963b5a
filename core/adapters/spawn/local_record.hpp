#pragma once

#include "core/adapters/spawn/control_group.hpp"
#include "core/adapters/spawn/process.hpp"

#include <optional>
#include <string>

namespace caisson {

/// What a later server needs to find a sandbox of this host again, or to remove what is left of it.
struct local_record {
    std::string runtime;
    sandbox_limits limits;
    std::optional<process_identity> agent;
    std::optional<process_identity> monitor;    // what the server started and waits for: bwrap, or the agent itself
    std::optional<uid_t> uid;                   // given to this sandbox alone
    control_group group;

    std::string to_json() const;
    /// Nothing if `text` is not what to_json() writes.
    static std::optional<local_record> from_json(std::shared_ptr<cgroup_io> io, std::string_view text);
};

}    // namespace caisson
