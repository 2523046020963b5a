#pragma once

#include "app/wire/service_view.hpp"
#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "storage/storage.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson::http {

/// What GET /ready says of the databases. I/O thread only.
class storage_watch {
public:
    /// All outlive it. `lack_of_room` is a sentence while some tenants may store nothing more; else empty.
    storage_watch(storage& store, timers& time, logger& log, std::function<std::string()> lack_of_room)
        : store_(store), time_(time), log_(log), lack_of_room_(std::move(lack_of_room))
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
    std::function<std::string()> lack_of_room_;
    storage_health last_;
    std::optional<steady_time> next_;    // when the next look may be; nothing before the first one
    bool looking_ = false;
};

}    // namespace caisson::http
