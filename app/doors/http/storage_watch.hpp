#pragma once

#include "app/wire/service_view.hpp"
#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "storage/storage.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson::http {

/// The databases' state for GET /ready. I/O thread only.
class storage_watch {
public:
    /// All arguments outlive it. `lack_of_room` returns a sentence while some tenants may store nothing more, else an empty string.
    storage_watch(storage& store, timers& time, logger& log, std::function<std::string()> lack_of_room)
        : store_(store), time_(time), log_(log), lack_of_room_(std::move(lack_of_room))
    {
    }

    /// The dependencies "database" (all can be written), "database_files" (no damage was found) and "disk". A check writes to the
    /// databases, at most once a second however often this is called. Logs what changed since the last check.
    task<std::vector<wire::dependency>> look();

private:
    void log_change(const storage_health& now);
    std::vector<wire::dependency> told() const;

    storage& store_;
    timers& time_;
    logger& log_;
    std::function<std::string()> lack_of_room_;
    storage_health last_;
    std::optional<steady_time> next_;    // earliest time of the next check; empty before the first
    bool looking_ = false;
};

}    // namespace caisson::http
