#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace caisson {

/// Why an attempt ended without success, as far as repeating it is concerned.
enum class attempt_fault {
    runtime_unavailable,    // no sandbox could be made
    image_pull,             // its image could not be had
    agent_unreachable,      // the agent was gone, or did not answer, before the program was handed to it
    agent_lost,             // the agent was lost after that: the program may have started
    program,                // the program ended by itself, without success
    limit,                  // a limit, a cancel or a kill from inside: never repeated
};

/// When an execution is tried again. Ranges are checked where a policy comes in.
struct retry_policy {
    int attempts = 2;    // at most, with the first; 1 to 10
    std::int64_t first_delay_ms = 500;
    double multiplier = 2;
    std::int64_t max_delay_ms = 10'000;
    std::vector<attempt_fault> faults{attempt_fault::runtime_unavailable, attempt_fault::image_pull, attempt_fault::agent_unreachable};
    std::vector<int> exit_codes;    // of the program, that are worth another attempt; empty: none
    bool operator==(const retry_policy&) const = default;
};

std::string_view to_string(attempt_fault value);
std::optional<attempt_fault> attempt_fault_from(std::string_view text);

}    // namespace caisson
