#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/pool/idle_gate.hpp"
#include "core/pool/pool_demand.hpp"
#include "core/sandbox/lease.hpp"
#include "core/sandbox/services.hpp"
#include "core/sandbox/shape.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Keeps sandboxes ready ahead of requests. It gives each away once; the receiver destroys it. The number of a kind follows its recent
/// demand; the number and memory of all kinds are bounded. A killed server leaves them without a record, and the next sweep removes them.
/// I/O thread only.
class warm_pool : public ready_sandboxes {
public:
    /// `gate` outlives it. Without sources.pool it keeps nothing.
    warm_pool(sandbox_services services, idle_gate& gate);

    /// Begins to make sandboxes.
    void start();
    /// Keeps at least sources.pool->idle of `shape` ready from now on; one if it has an interpreter.
    void keep(sandbox_shape shape);
    /// Claims a ready sandbox for `wanted`; nothing if none is ready. Notes the demand in any case. If no sandbox with the interpreter is
    /// ready, one without it does.
    std::optional<sandbox_lease> claim(const sandbox_shape& wanted) override;
    bool has_ready(const sandbox_shape& wanted) const override;
    /// Stops giving sandboxes away, and begins to destroy them.
    void close();
    /// Calls close(), and returns when all are destroyed, or at `until`.
    task<> stop(steady_time until);

    /// The number of ready sandboxes of one runtime, or of all.
    std::size_t ready(std::string_view runtime = {}) const;

private:
    /// A started sandbox whose agent has answered and in which no program ran yet.
    struct warm_sandbox {
        sandbox_spec spec;
        std::shared_ptr<const skill_tree> tree;
        sandbox_lease lease;
    };
    struct idle_one {
        warm_sandbox what;
        steady_time since;
        std::shared_ptr<notifier> let_go;    // notified when it leaves the pool
    };
    struct kind {
        sandbox_shape shape;
        std::size_t least = 0;    // kept ready whatever the demand
        pool_demand demand;
        std::vector<idle_one> idle;    // the oldest first
        std::size_t making = 0;
        std::size_t failures = 0;    // since the last that could be made
        steady_time next_try{};
    };
    using kind_ptr = std::shared_ptr<kind>;

    runtime* runtime_of(const sandbox_shape& shape) const;
    kind_ptr find(const sandbox_shape& wanted) const;
    kind_ptr find_or_add(const sandbox_shape& wanted);
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
    bool fits(amount beside, const kind& another) const;
    bool make_room_for(const kind& kind);
    bool forget_oldest();
    std::chrono::milliseconds longest_wait() const;
    steady_time next_look(steady_time now) const;
    void trim(steady_time now);
    void let_go(kind& from, std::size_t number, std::string_view why);
    std::optional<sandbox_lease> take_from(kind_ptr of, const sandbox_shape& wanted);
    task<> fill();
    task<> make_for(kind_ptr wanted);
    task<result<void>> make(kind_ptr wanted, std::shared_ptr<warm_sandbox> into);
    task<result<void>> park(kind_ptr of, std::shared_ptr<warm_sandbox> in);
    std::int64_t idle_bytes(const sandbox_shape& shape) const;
    task<> destroy(std::shared_ptr<warm_sandbox> what);
    task<> watch(kind_ptr of, sandbox_id id, task<std::string> end, std::shared_ptr<notifier> released);

    const sandbox_services use_;
    idle_gate& idle_gate_;
    std::vector<kind_ptr> kinds_;
    notifier changed_;
    bool stopping_ = false;
    task_group makers_;
    task_group watchers_;
    task_group ends_;
};

}    // namespace caisson
