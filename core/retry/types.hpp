#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace caisson {

/// Why an attempt failed, as input to the decision on a retry.
enum class attempt_fault {
    runtime_unavailable,    // no sandbox could be created
    image_pull,             // the image was not available
    agent_unreachable,      // the agent was gone or silent before it received the program
    agent_lost,             // the agent was lost later: the program may have started
    program,                // the program itself failed
    limit,                  // a limit, a cancel or a kill from inside: never repeated
};

/// When to retry an execution. Parsers of requests and manifests check the ranges.
struct retry_policy {
    int attempts = 2;    // maximum, including the first; 1 to 10
    std::int64_t first_delay_ms = 500;
    double multiplier = 2;
    std::int64_t max_delay_ms = 10'000;
    std::vector<attempt_fault> faults{attempt_fault::runtime_unavailable, attempt_fault::image_pull, attempt_fault::agent_unreachable};
    std::vector<int> exit_codes;    // exit codes of the program to retry on; empty: none
    bool operator==(const retry_policy&) const = default;
};

std::string_view to_string(attempt_fault value);
std::optional<attempt_fault> attempt_fault_from(std::string_view text);

}    // namespace caisson
