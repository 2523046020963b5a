#pragma once

#include "core/base/error.hpp"
#include "core/base/log.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::docker {

/// Limits of a container, as a mask.
namespace container_limit {
inline constexpr unsigned memory = 1;
inline constexpr unsigned swap = 2;
inline constexpr unsigned pids = 4;
inline constexpr unsigned cpu = 8;
inline constexpr unsigned all = memory | swap | pids | cpu;
}    // namespace container_limit

/// Those that are not applied, by one of the warnings with which an engine answers that a container was made.
unsigned limits_lost_by(std::string_view warning);

/// What an engine warned of when it made containers: each is logged once.
class create_warnings {
public:
    explicit create_warnings(logger& log) : log_(log) { }

    /// Errors: errc::runtime_unavailable, with the engine's words, if a limit of `needed` is not applied.
    result<void> take(const std::vector<std::string>& warnings, unsigned needed);

private:
    logger& log_;
    std::set<std::string, std::less<>> said_;
};

}    // namespace caisson::docker
