#pragma once

#include "core/base/error.hpp"
#include "core/base/log.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::docker {

/// A container's limits as bit flags.
namespace container_limit {
inline constexpr unsigned memory = 1;
inline constexpr unsigned swap = 2;
inline constexpr unsigned pids = 4;
inline constexpr unsigned cpu = 8;
inline constexpr unsigned all = memory | swap | pids | cpu;
}    // namespace container_limit

/// The limits that are not applied according to one warning of an engine's create response.
unsigned limits_lost_by(std::string_view warning);

/// Logs each create warning of an engine once and checks for lost limits.
class create_warnings {
public:
    explicit create_warnings(logger& log) : log_(log) { }

    /// Errors: errc::runtime_unavailable with the engine's warning if a limit in `needed` is not applied.
    result<void> take(const std::vector<std::string>& warnings, unsigned needed);

private:
    logger& log_;
    std::set<std::string, std::less<>> said_;
};

}    // namespace caisson::docker
