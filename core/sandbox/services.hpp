#pragma once

#include "core/async/timers.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "core/images/ports.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/living_sandbox.hpp"
#include "core/sandbox/ports.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// How many sandboxes are kept ready.
struct pool_bounds {
    std::size_t idle = 2;                     // of the default kind, whatever the demand
    std::size_t most = 32;                    // at once, of all kinds
    std::int64_t most_bytes = 256LL << 20;    // of memory in all, estimated
    std::size_t most_put_off = 64;            // used sandboxes whose removal waits for idle time
    bool interpreters = false;                // kinds with a waiting interpreter are made too
    std::vector<std::string> preload = {};    // modules that it imports ahead, where they are installed
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

    /// The runtime of that name; null: there is none here.
    runtime* find(std::string_view name) const
    {
        const auto found = runtimes.find(name);
        return found == runtimes.end() ? nullptr : found->second;
    }

    /// The seccomp filter of a program on `where`; empty: none.
    const std::string& filter_on(const runtime& where) const
    {
        static const std::string none;
        if (!where.traits().isolates)
            return none;
        return where.traits().filters_agents && !rest_of_filter.empty() ? rest_of_filter : payload_filter;
    }
};

/// A part of each sweep: finds and removes something that crashes leave behind, other than sandboxes.
struct sweep_chore {
    std::string name;                                       // "uid locks"
    std::function<task<result<std::size_t>>()> run = {};    // how many were removed, or why not all that should be
};

/// How often left-overs are swept, and the extra chores.
struct sweep_rules {
    std::optional<std::chrono::milliseconds> interval = std::nullopt;    // nothing: a sweep at the start only
    std::vector<sweep_chore> chores = {};
};

/// What those who make, keep and remove sandboxes use. All of it outlives them.
struct sandbox_services {
    io_executor executor;
    timers& time;
    logger& log;
    id_factory& ids;
    sandbox_store& store;
    const sandbox_sources& sources;

    /// A sandbox that a runtime made or found, as this server has it.
    std::shared_ptr<living_sandbox> living(std::unique_ptr<sandbox> box) const
    {
        return std::make_shared<living_sandbox>(executor, time, log, sources.link, std::move(box));
    }
};

}    // namespace caisson
