#pragma once

#include "tests/core/exec/service_world.hpp"

#include <string>
#include <utility>
#include <vector>

namespace caisson::retrying {

inline const error broken{errc::runtime_unavailable, "the host is full"};

inline execution_spec tried(int attempts, std::vector<int> exit_codes = {})
{
    auto spec = service_world::program();
    spec.retry.attempts = attempts;
    spec.retry.exit_codes = std::move(exit_codes);
    return spec;
}

inline execution_spec idempotent()
{
    auto spec = service_world::program();
    spec.idempotent = true;
    return spec;
}

/// What the attempts of a record ended with: "1:runtime_unavailable 2:-".
inline std::string faults_of(const execution_row& row)
{
    std::string text;
    for (const auto& each : row.attempts)
        text += (text.empty() ? "" : " ") + std::to_string(each.number) + ":" +
                (each.fault            ? std::string(to_string(*each.fault))
                    : each.ended_at_ms ? "-"
                                       : "runs");
    return text;
}

}    // namespace caisson::retrying
