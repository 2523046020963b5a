#pragma once

#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/files/ports.hpp"

#include <optional>

namespace caisson {

struct janitor_options {
    std::int64_t max_bytes_per_tenant = 10LL << 30;          // of artifacts; beyond it the oldest go
    std::int64_t max_stored_per_tenant = 30LL << 30;         // of all its contents as stored, with packages; likewise
    std::chrono::milliseconds round_interval{60'000};        // between two rounds
    std::chrono::milliseconds search_interval{3'600'000};    // between two searches for contents without a record; each in a round
    std::chrono::milliseconds record_grace{3'600'000};       // a content without a record is kept this long
    std::size_t batch = 100;                                 // records or contents in one step
};

/// The numbers of artifacts and contents that one round removed.
struct janitor_report {
    std::size_t expired = 0;    // artifacts
    std::size_t beyond = 0;     // artifacts beyond a tenant's bounds
    std::size_t unnamed = 0;    // contents without a record
};

/// Removes expired artifacts, artifacts beyond a tenant's bounds, and contents without a record. Works in small steps, between which
/// other work can run; each step's removals are final. All services must outlive it. I/O thread.
class janitor {
public:
    struct services {
        timers& time;
        logger& log;
        content_store& contents;
        artifact_store& artifacts;
    };

    janitor(const services& use, janitor_options options) : use_(use), options_(options) { }

    /// Runs rounds until cancelled, the first at once. Logs a failure; the next round tries again.
    task<> run();
    /// Runs one round, with the search for contents without a record if it is due. Errors and exceptions are the stores'; removals before
    /// a failure are final.
    task<result<janitor_report>> clean();

private:
    task<result<std::size_t>> remove_expired();
    task<result<std::size_t>> remove_beyond();
    task<result<std::size_t>> remove_beyond_of(tenant_id tenant);
    task<result<std::size_t>> remove_beyond_stored(tenant_id tenant);
    task<result<std::size_t>> remove_unnamed();
    task<result<void>> erase(std::vector<owned_content> contents);

    services use_;
    janitor_options options_;
    std::optional<steady_time> next_search_;    // nothing before the first search
};

}    // namespace caisson
