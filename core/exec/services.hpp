#pragma once

#include "core/admission/admission_bounds.hpp"
#include "core/admission/idempotency.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "core/base/storage_gate.hpp"
#include "core/exec/compile/compile_cache.hpp"
#include "core/exec/ports.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/record/record_policy.hpp"
#include "core/files/ports.hpp"
#include "core/log/log_buffer.hpp"
#include "core/retry/backoff.hpp"
#include "core/sandbox/services.hpp"
#include "core/skills/ports.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace caisson {

/// Where executions, and what they leave, are stored.
struct execution_stores {
    execution_store& executions;
    event_store& events;
    sandbox_store& sandboxes;
    content_store* contents = nullptr;          // of what executions leave; null: nothing is kept
    artifact_store* artifacts = nullptr;        // the same
    checkpoint_maker* checkpoints = nullptr;    // of ends; null: none are written
};

/// Bounds on executions, and rules for their records.
struct execution_rules {
    admission_bounds bounds = {};
    idempotency_options idempotency = {};
    retention_bounds retention = {};                                              // of what ended
    record_policy::options records = {};                                          // when records are written
    log_options logs = {};                                                        // max_output_bytes comes from each execution's limits
    std::optional<std::chrono::milliseconds> artifact_lifetime = std::nullopt;    // nothing: they are kept until they are deleted
    storage_gate may_store = {};                                                  // asked before one is accepted
    std::function<std::uint64_t()> free_bytes = {};    // of the stores' disk; empty: files are kept until it is full
};

/// What skills need.
struct skill_ports {
    skill_trees* trees = nullptr;         // packages of skills; null: no skill can run
    schema_checker* schemas = nullptr;    // of outputs; null: not looked at
};

/// Everything that the execution_service uses; what it refers to outlives it.
struct execution_services {
    io_executor executor;
    timers& time;
    logger& log;
    id_factory& ids;
    execution_stores stores;
    sandbox_sources sources = {};
    execution_rules rules = {};
    sweep_rules sweeps = {};
    skill_ports skills = {};
    compile_cache* compiled = nullptr;               // results of compilations; null: all code is compiled
    std::function<double()> jitter = draw_jitter;    // of delays between attempts: 0 to 1
    std::function<void()> webhook_due = {};          // called when the end of an execution with a webhook is stored; may be not set

    /// What of it concerns sandboxes. Refers to this object's `sources`.
    sandbox_services for_sandboxes() const& { return {executor, time, log, ids, stores.sandboxes, sources}; }
    sandbox_services for_sandboxes() && = delete;
};

}    // namespace caisson
