#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/exec/claim_hold.hpp"
#include "core/exec/idle_gate.hpp"
#include "core/exec/parking.hpp"
#include "core/exec/pool_demand.hpp"
#include "core/exec/services.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// What sandboxes of one kind are made as.
struct pool_shape {
    std::string runtime;
    sandbox_spec spec;                         // its id is of no account
    std::shared_ptr<const skill_tree> tree;    // whose path is in spec.trees; keeps it
    std::string image_digest;                  // "sha256:…" where one is known
    std::optional<ready_interpreter> interpreter = {};
};

/// A started sandbox in which nothing ran yet, its agent heard.
struct warm_sandbox {
    sandbox_spec spec;
    std::shared_ptr<const skill_tree> tree;
    std::shared_ptr<living_sandbox> home;
    std::unique_ptr<execution_group> group;
    std::unique_ptr<claim_hold> hold;    // once it was claimed
};

/// Sandboxes that are ready before somebody asks. Each is given away once, and whoever has it destroys it. How many of a kind are kept
/// follows from how many were asked for lately; all together they are bounded in number and in memory. What a server that was killed
/// leaves of them no record names: a sweep removes it. I/O thread only.
class warm_pool {
public:
    /// Both outlive it. Without services.pool it keeps nothing.
    warm_pool(const execution_services& services, idle_gate& calm);

    /// Begins to fill itself.
    void start();
    /// At least services.pool->idle of `shape` are kept ready from now on; of one with an interpreter, one.
    void keep(pool_shape shape);
    /// One that serves as `wanted`, claimed; nothing if none is ready. Notes the demand in any case. Where none
    /// with the interpreter is ready one without it serves too.
    std::optional<warm_sandbox> claim(const pool_shape& wanted);
    /// Whether claim() would have one, as far as can be said before.
    bool has_ready(const pool_shape& wanted) const;
    /// Gives nothing away any more, and begins to destroy what it has.
    void close();
    /// close(), and returns when everything is destroyed, or at `until`.
    task<> stop(steady_time until);

    /// How many are ready, of one runtime or of all.
    std::size_t ready(std::string_view runtime = {}) const;

private:
    struct idle_one {
        warm_sandbox what;
        steady_time since;
        std::shared_ptr<notifier> let_go;    // notified when it leaves the pool
    };
    struct kind {
        pool_shape shape;
        std::size_t least = 0;    // kept ready whatever the demand
        pool_demand demand;
        std::vector<idle_one> idle;    // the oldest first
        std::size_t making = 0;
        std::size_t failures = 0;    // since the last that could be made
        steady_time next_try{};
    };
    using kind_ptr = std::shared_ptr<kind>;

    runtime* runtime_of(const pool_shape& shape) const;
    kind_ptr find(const pool_shape& wanted) const;
    kind_ptr find_or_add(const pool_shape& wanted);
    std::size_t target(const kind& of, steady_time now) const;
    std::size_t lacking(const kind& of, steady_time now) const;
    std::chrono::milliseconds patience(const kind& of) const;
    task<> step_aside(kind_ptr for_one);
    kind_ptr next_to_make(steady_time now);
    struct amount {
        std::size_t count = 0;
        std::int64_t bytes = 0;
    };
    amount totals() const;
    bool fits(amount beside, const kind& one) const;
    bool make_room_for(const kind& one);
    bool forget_oldest();
    std::chrono::milliseconds longest_wait() const;
    steady_time next_look(steady_time now) const;
    void trim(steady_time now);
    void let_go(kind& from, std::size_t number, std::string_view why);
    std::optional<warm_sandbox> take_from(kind_ptr of, const pool_shape& wanted);
    task<> fill();
    task<> make_for(kind_ptr wanted);
    task<result<void>> make(kind_ptr wanted, std::shared_ptr<warm_sandbox> into);
    task<result<void>> park(kind_ptr of, std::shared_ptr<warm_sandbox> in);
    std::int64_t idle_bytes(const pool_shape& shape) const;
    task<> destroy(std::shared_ptr<warm_sandbox> what);
    task<> watch(kind_ptr of, sandbox_id id, task<std::string> end, std::shared_ptr<notifier> released);

    const execution_services& use_;
    idle_gate& idle_gate_;
    std::vector<kind_ptr> kinds_;
    notifier changed_;
    bool stopping_ = false;
    task_group makers_;
    task_group watchers_;
    task_group ends_;
};

}    // namespace caisson
