#pragma once

#include "core/admission/candidate.hpp"
#include "core/base/clock.hpp"
#include "core/base/log.hpp"
#include "core/retry/circuit_breaker.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace caisson {

/// One circuit breaker for each runtime, so that a host that cannot make sandboxes is not asked for each execution anew, and the line
/// of those that wait for it. What programs do does not count: only what fails before one was handed over. I/O thread.
class runtime_breakers {
    struct gate;

public:
    /// Both outlive it.
    runtime_breakers(const clock& time, logger& log) : time_(time), log_(log) { }
    ~runtime_breakers();
    runtime_breakers(const runtime_breakers&) = delete;
    runtime_breakers& operator=(const runtime_breakers&) = delete;

    /// Leave to make one sandbox. One that dies before its outcome was told counts as a try that came to none. May outlive the breakers.
    class permit {
    public:
        permit(std::shared_ptr<gate> of, circuit_breaker::permit which) : of_(std::move(of)), which_(which) { }
        permit(permit&& other) noexcept = default;
        permit& operator=(permit&&) = delete;
        ~permit();
        void succeeded();
        void failed();

    private:
        std::shared_ptr<gate> of_;    // until the outcome is told
        circuit_breaker::permit which_;
    };
    /// Nothing: it is to wait, in the line.
    std::optional<permit> ask(const std::string& runtime, const tenant_id& tenant);

    /// A place in the line of a runtime: an execution's wakes it when it is to look again. Leaves when it dies. May outlive the breakers.
    class place {
    public:
        place(std::shared_ptr<gate> of, std::shared_ptr<candidate> candidate);
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place();
        /// Whether it is its turn to ask: at once while the breaker is closed; else the first of each tenant, while a try is possible.
        bool may_ask() const;
        /// When it looks again if nobody wakes it.
        steady_time next_look() const;

    private:
        bool is_first() const;
        std::shared_ptr<gate> of_;
        std::shared_ptr<candidate> candidate_;
    };
    /// `candidate` has been in the queue: its ticket is its place among its tenant's.
    std::unique_ptr<place> line_up(const std::string& runtime, std::shared_ptr<candidate> candidate);

    struct view {
        circuit_breaker::state state = circuit_breaker::state::closed;
        std::size_t faults = 0;    // in a row
        std::chrono::milliseconds pause_left{0};
        std::int64_t since_ms = 0;    // unless it is closed: since when it is not, by either clock
        steady_time since;
    };
    view of(const std::string& runtime) const;
    /// What there is to tell of one that is not closed: `the runtime "x" has been unavailable since …`.
    std::string outage(const std::string& runtime) const;

private:
    std::shared_ptr<gate> gate_of(const std::string& runtime);

    const clock& time_;
    logger& log_;
    std::map<std::string, std::shared_ptr<gate>> gates_;
};

}    // namespace caisson
