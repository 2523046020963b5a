#pragma once

#include "core/runtime/ports.hpp"
#include "tests/support/fake_agent.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace caisson::testing {

/// One sandbox of the fake runtime: outlives its handles, as a real one outlives its server.
struct fake_box {
    sandbox_spec spec;
    std::shared_ptr<fake_agent> agent = std::make_shared<fake_agent>();
    bool started = false;
    bool destroyed = false;
    std::size_t stops = 0;
    std::optional<steady_time> made_at;

    bool is_claimed = false;
    sandbox_limits claimed_limits;

    std::map<group_name, group_limits> limits;    // of the groups that are open

    // Of the first program's group.
    std::vector<int> join;           // its descriptors
    group_usage usage;               // what is read next
    std::size_t usage_throws = 0;    // so many readings throw before that
    std::size_t group_kills = 0;
    bool group_kills_by_itself = true;
    bool group_is_surely_empty = false;
    std::optional<disk_usage> disk;
    std::int64_t uncounted_bytes = 0;

    group_usage compiler_usage;    // of its compiler's group
};

/// A runtime without processes, files or sockets. Outlives the servers that use it, which may come one after the other, each
/// with its own io_context. One thread.
class fake_runtime : public runtime {
public:
    enum class call { create, start, connect, open_group, claim, recover, destroy, left_overs, remove_left_over, prepare };

    fake_runtime() = default;
    explicit fake_runtime(std::string name) : name_(std::move(name)) { host.name = name_; }

    std::string_view name() const override { return name_; }
    runtime_traits traits() const override
    {
        return {.isolates = host.isolates,
            .fast_create = soon,
            .protects_agent = host.isolates,
            .filters_agents = filters,
            .has_images = images};
    }
    bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const override;
    std::int64_t idle_bytes() const override { return 1 << 20; }
    const runtime_capabilities& capabilities() const override { return host; }
    task<> probe() override;
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    std::size_t prepared() const override { return prepared_; }
    std::size_t most_prepared() const override { return may_be_prepared; }
    task<result<void>> prepare_ahead(sandbox_id id, sandbox_limits limits) override;
    task<> discard_prepared(std::size_t kept) override;
    task<result<void>> start(sandbox& created) override;
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

    // Knobs. Each planned failure meets one later call.
    void fail_next(call which, error what) { planned_[which].push_back({std::move(what), false, false}); }
    /// The call throws std::runtime_error instead.
    void throw_next(call which, std::string what) { planned_[which].push_back({{errc::internal, std::move(what)}, true, false}); }
    /// One coming call does what it is asked for; what is planned afterwards meets the ones behind it.
    void let_pass(call which) { planned_[which].push_back({{}, false, true}); }
    /// Calls wait at it while it is corked; not for open_group and claim.
    gate& gate_of(call which) { return gates_[which]; }
    /// What a new sandbox is made ready with, for example box.agent->program.
    std::function<void(fake_box&)> prepare;
    /// What time it is on the host of the sandboxes; empty: their starts are not dated.
    std::function<steady_time()> now;
    bool adapts = true;      // sandboxes that wait can be given other limits of memory, CPU time and processes
    bool images = false;     // its sandboxes are made of images
    bool filters = false;    // agents have a filter of their own
    bool soon = false;       // they may be made before their execution is recorded
    std::size_t may_be_prepared = 0;
    std::size_t room_for_prepared = 1'000;    // one more cannot be made
    sandbox_limits prepared_with;             // the last of them
    std::size_t tries_at_preparing = 0;       // of those that failed too
    runtime_capabilities host{.name = "fake", .available = true, .isolates = true, .execution_usage = true};

    /// In the order of creation, destroyed ones too. Throws std::out_of_range.
    fake_box& box(std::size_t number) const { return *boxes_.at(number); }
    fake_agent& agent(std::size_t number) const { return *box(number).agent; }
    std::size_t created() const { return boxes_.size(); }
    /// Made and not destroyed.
    std::size_t live() const;

    /// For its sandboxes: waits at the gate, then throws or names the error to return.
    task<std::optional<error>> enter(call which);
    std::optional<error> planned(call which);

private:
    struct plan {
        error what;
        bool throws;
        bool passes;
    };
    std::string name_ = "fake";
    std::size_t prepared_ = 0;
    std::map<call, std::deque<plan>> planned_;
    std::map<call, gate> gates_;
    std::vector<std::shared_ptr<fake_box>> boxes_;
};

}    // namespace caisson::testing
