#pragma once

#include "core/async/timers.hpp"
#include "core/base/log.hpp"
#include "core/files/ports.hpp"

#include <optional>

namespace caisson {

struct janitor_options {
    std::int64_t max_bytes_per_tenant = 10LL << 30;          // of artifacts; beyond it the oldest go
    std::int64_t max_stored_per_tenant = 30LL << 30;         // of all its contents as they are stored, packages too; the same
    std::chrono::milliseconds round_interval{60'000};        // between two looks for what expired or is too much
    std::chrono::milliseconds search_interval{3'600'000};    // between two searches for contents without a record
    std::chrono::milliseconds record_grace{3'600'000};       // a record comes this soon after its content was finished
    std::size_t batch = 100;                                 // records or contents in one step
};

/// How much one round removed.
struct janitor_report {
    std::size_t expired = 0;    // artifacts; the same for the next
    std::size_t beyond = 0;
    std::size_t unnamed = 0;    // contents
};

/// Removes artifacts that expired or are more than a tenant may have, and contents that no record names, in small steps: other
/// work comes between them, and what a step removed stays removed. Everything referred to outlives it. I/O thread.
class janitor {
public:
    struct services {
        timers& time;
        logger& log;
        content_store& contents;
        artifact_store& artifacts;
    };

    janitor(const services& use, janitor_options options) : use_(use), options_(options) { }

    /// One round after the other, the first at once, until it is cancelled. What fails is logged and tried again with the next round.
    task<> run();
    /// One round; it searches for contents without a record if that is due. Errors and exceptions: what the stores say; what was
    /// removed by then is.
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
    std::optional<steady_time> next_search_;    // nothing before the first one
};

}    // namespace caisson
