#pragma once

#include "core/admission/admission.hpp"
#include "core/admission/runtime_breakers.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/services.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace caisson {

/// Lets executions wait until they may make a sandbox: for their turn among all, for the image, and for a runtime that works. I/O
/// thread only.
class placement {
public:
    /// Both outlive it.
    placement(const execution_services& services, admission& queue) : use_(services), queue_(queue), breakers_(services.time, services.log)
    {
    }

    /// A place among those that run, and a permit to make a sandbox of an image that is there. Nothing: it was cancelled, or it is too
    /// late. A breaker's refusal is no attempt, nor is an image that has to be fetched: the place goes to others meanwhile.
    task<std::optional<runtime_breakers::permit>> wait_for_turn(execution_ptr exec);
    /// Without a place or a sandbox, until the delay before the next attempt is over or a cancel is wanted.
    task<> wait_for_next(execution_ptr exec);
    /// Enters a new execution that has a permit: takes `place` and admits it, since a place is free.
    void enter(const execution_ptr& exec, waiting_place& place);

    /// From its own runtime; while that one's breaker refuses, from the first that it may fall back to.
    std::optional<runtime_breakers::permit> ask_for_permit(execution& exec);
    /// False if its image has to be asked for.
    bool hold_image_now(execution& exec) const;
    bool runs_in_image(const execution& exec) const;
    /// Errors: why its image cannot be had.
    static result<void> check_image(execution& exec);

    bool is_enabled(const std::string& runtime) const;
    /// Whether the runtime is enabled and no breaker keeps executions from it.
    bool takes_at_once(const std::string& runtime) const;
    /// Whether a sandbox of that runtime is made within milliseconds.
    bool creates_fast(const std::string& runtime) const;
    /// Whether sandboxes of a runtime are made at present.
    runtime_breakers::view breaker_of(const std::string& runtime) const { return breakers_.of(runtime); }
    /// Why the runtime that the execution waited for is unavailable, without a full stop; empty if it works.
    std::string outage_of(const execution& exec) const;

    /// A first attempt waits that long for a runtime that is unavailable.
    static constexpr std::chrono::minutes outage_patience{10};

private:
    task<bool> wait_for_admission(execution_ptr exec);
    task<bool> wait_for_runtime(execution_ptr exec, const runtime_breakers::place* place);
    task<> wait_until_woken(execution_ptr exec, steady_time until);
    static steady_time latest_begin(const execution& exec);
    static steady_time latest_trial(const execution& exec);
    bool can_fall_back(const execution& exec, const std::string& runtime) const;
    void take_runtime(execution& exec, const std::string& name) const;
    task<bool> find_image(execution_ptr exec);
    task<> wait_for_image(execution_ptr exec);

    const execution_services& use_;
    admission& queue_;
    runtime_breakers breakers_;
};

}    // namespace caisson
