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
#include "core/images/ports.hpp"
#include "core/log/log_buffer.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/retry/backoff.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/living_sandbox.hpp"
#include "core/sandbox/ports.hpp"
#include "core/skills/ports.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A part of each sweep: finds and removes something that crashes leave behind, other than sandboxes.
struct sweep_chore {
    std::string name;                                       // "uid locks"
    std::function<task<result<std::size_t>>()> run = {};    // how many were removed, or why not all that should be
};

/// How many sandboxes are kept ready.
struct pool_bounds {
    std::size_t idle = 2;                     // of the default kind, whatever the demand
    std::size_t most = 32;                    // at once, of all kinds
    std::int64_t most_bytes = 256LL << 20;    // of memory in all, estimated
    std::size_t most_put_off = 64;            // used sandboxes whose removal waits for idle time
    bool interpreters = false;                // kinds with a waiting interpreter are made too
    std::vector<std::string> preload = {};    // modules that it imports ahead, where they are installed
};

/// Where executions, and what they leave, are stored.
struct execution_stores {
    execution_store& executions;
    event_store& events;
    sandbox_store& sandboxes;
    content_store* contents = nullptr;          // of what executions leave; null: nothing is kept
    artifact_store* artifacts = nullptr;        // the same
    checkpoint_maker* checkpoints = nullptr;    // of ends; null: none are written
};

/// Where sandboxes come from, and how their agents are reached.
struct sandbox_sources {
    std::map<std::string, runtime*, std::less<>> runtimes = {};    // by name; those that are not enabled find and end what they left
    std::vector<std::string> enabled = {};                         // runtimes that may make new sandboxes; empty: all
    std::vector<std::string> fallback = {};                        // runtimes for what may fall back, in this order
    image_supply* images = nullptr;                                // of runtimes with images; null: they use what their engines have
    std::optional<pool_bounds> pool = {};                          // of sandboxes that are kept ready; nothing: none
    std::string payload_filter = {};                               // seccomp filter of isolating runtimes, raw struct sock_filter[]
    std::string rest_of_filter = {};                               // of payload_filter, what an agent's own filter lacks
    protocol::link_options link = {};
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

/// How often left-overs are swept, and the extra chores.
struct sweep_rules {
    std::optional<std::chrono::milliseconds> interval = std::nullopt;    // nothing: a sweep at the start only
    std::vector<sweep_chore> chores = {};
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

    /// A sandbox that a runtime made or found, as this server has it.
    std::shared_ptr<living_sandbox> living(std::unique_ptr<sandbox> box) const
    {
        return std::make_shared<living_sandbox>(executor, time, log, sources.link, std::move(box));
    }

    /// What a program on `where` is given; empty: none.
    const std::string& filter_on(const runtime& where) const
    {
        static const std::string none;
        if (!where.traits().isolates)
            return none;
        return where.traits().filters_agents && !sources.rest_of_filter.empty() ? sources.rest_of_filter : sources.payload_filter;
    }
};

}    // namespace caisson
