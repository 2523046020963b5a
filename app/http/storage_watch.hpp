#pragma once

#include "app/wire/service_view.hpp"
#include "core/async/timers.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"
#include "storage/storage.hpp"

#include <string>
#include <vector>

namespace caisson::http {

/// What GET /ready says of the databases. I/O thread only.
class storage_watch {
public:
    /// All but `disk` outlive it.
    storage_watch(storage& store, timers& time, logger& log, const storage_config& disk)
        : store_(store), time_(time), log_(log), least_free_bytes_(static_cast<std::uint64_t>(disk.min_free_bytes))
    {
    }

    /// "database" (each can be written), "database_files" (nothing was found damaged) and "disk". A look writes: at most one a
    /// second, whoever asks. What changed since the look before is logged.
    task<std::vector<wire::dependency>> look();

private:
    void log_change(const storage_health& now);
    std::vector<wire::dependency> told() const;

    storage& store_;
    timers& time_;
    logger& log_;
    std::uint64_t least_free_bytes_;

    storage_health last_;
    std::optional<steady_time> next_;    // when the next look may be; nothing before the first one
    bool looking_ = false;
};

}    // namespace caisson::http
