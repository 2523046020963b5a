#pragma once

#include "core/async/notifier.hpp"
#include "core/base/ids.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace caisson {

/// Shares the I/O thread among tenants, in rounds: each tenant may begin so much in a round. What is beyond that waits for the next round,
/// which comes behind everything else that the thread has to do. So a thousand connections of one tenant wait for each other, and not
/// other tenants for them. I/O thread only.
class io_turns {
public:
    /// A tenant's requests do not wait behind what its viewers are to be sent.
    enum class kind { request, events };

    /// Bytes that are read or written for the steps of one kind that a tenant may begin in one round. A step that begins below this runs to
    /// its end; what it took beyond counts in the next rounds.
    static constexpr std::size_t most_bytes = 64 << 10;
    /// Each step counts as so many bytes at least.
    static constexpr std::size_t least_bytes = 1 << 10;

    explicit io_turns(io_executor executor) : state_(std::make_shared<state>(std::move(executor))) { }

    /// Counts a step of `bytes` and returns true if the tenant may begin it now. Otherwise the caller awaits wait(), which counts it.
    bool try_begin(const tenant_id& tenant, kind of, std::size_t bytes);
    /// Returns when the tenant may begin the step: first come, first served among its steps of that kind. It can be cancelled, and may
    /// outlive the io_turns.
    task<> wait(tenant_id tenant, kind of, std::size_t bytes);

    /// Steps that wait, of all tenants.
    std::size_t waiting() const;

private:
    class step;
    struct line {
        std::size_t used = 0;    // of this round, and of those to come if it is more than most_bytes
        std::list<step*> waiting;
    };
    using line_key = std::pair<tenant_id, kind>;
    struct state : std::enable_shared_from_this<state> {
        explicit state(io_executor on) : executor(std::move(on)) { }
        void ask_for_round();
        void begin_round();

        const io_executor executor;
        std::map<line_key, line> lines;    // of tenants that did something lately
        bool round_asked = false;
    };
    static task<> wait_for(std::unique_ptr<step> one);

    std::shared_ptr<state> state_;
};

}    // namespace caisson
