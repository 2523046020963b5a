#pragma once

#include "core/async/notifier.hpp"
#include "core/base/ids.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace caisson {

/// Shares the I/O thread among tenants, in rounds. Each tenant may begin a bounded amount of work in a round; the rest waits for the next
/// round, which is queued behind all of the thread's other handlers. So a thousand connections of one tenant delay each other, and not
/// other tenants. I/O thread only.
class io_turns {
public:
    /// Each kind has its own line, so that a tenant's requests do not wait behind the events for its viewers.
    enum class kind { request, events };

    /// Bytes per round, tenant and kind, read or written by the steps that begin in it. A step that begins below this bound runs to its
    /// end; the excess counts in the next rounds.
    static constexpr std::size_t most_bytes = 64 << 10;
    /// Each step counts as at least this many bytes.
    static constexpr std::size_t least_bytes = 1 << 10;

    explicit io_turns(io_executor executor) : state_(std::make_shared<state>(std::move(executor))) { }

    /// If the tenant may begin a step of `bytes` now, counts it and returns true. Otherwise the caller awaits wait(), which counts it.
    bool try_begin(const tenant_id& tenant, kind of, std::size_t bytes);
    /// Returns when the tenant may begin the step; its steps of that kind are served in order. Can be cancelled, and may outlive the
    /// io_turns.
    task<> wait(tenant_id tenant, kind of, std::size_t bytes);

    /// The number of waiting steps of all tenants.
    std::size_t waiting() const;

private:
    class step;
    struct line {
        std::size_t used = 0;    // bytes in this round; beyond most_bytes also in the next ones
        std::list<step*> waiting;
    };
    using line_key = std::pair<tenant_id, kind>;
    struct state : std::enable_shared_from_this<state> {
        explicit state(io_executor on) : executor(std::move(on)) { }
        void ask_for_round();
        void begin_round();

        const io_executor executor;
        std::map<line_key, line> lines;    // of recently active tenants
        bool round_asked = false;
    };
    static task<> wait_for(std::unique_ptr<step> step);

    std::shared_ptr<state> state_;
};

}    // namespace caisson
