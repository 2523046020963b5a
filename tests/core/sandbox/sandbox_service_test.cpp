#include "core/sandbox/sandbox_service.hpp"

#include "tests/support/fake_runtime.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

constexpr group_limits of_program{64 << 20, 1000, 16};

/// Sandboxes as a pool gives them away.
class planned_sandboxes : public ready_sandboxes {
public:
    bool has_ready(const sandbox_shape&) const override { return next.has_value(); }
    std::optional<sandbox_lease> claim(const sandbox_shape&) override { return std::exchange(next, std::nullopt); }
    std::optional<sandbox_lease> next;
};

class SandboxService : public ::testing::Test {
protected:
    template <class T>
    T get(task<T> work)
    {
        return testing::run_task(context, std::move(work));
    }
    sandbox_shape shape()
    {
        sandbox_spec spec;
        spec.id = ids.make<sandbox_id>();
        return {"fake", spec, nullptr, ""};
    }
    sandbox_lease made()
    {
        auto lease = get(service.create(shape()));
        EXPECT_TRUE(get(service.start(&lease.value(), of_program)).has_value());
        return std::move(*lease);
    }
    /// As an earlier server left it.
    sandbox_row recorded(const sandbox_lease& lease)
    {
        auto row = service.record_of(*lease.home, tenant, "fake", {holder_kind::execution, "exe_1"});
        EXPECT_TRUE(get(store.insert(row)).has_value());
        return row;
    }
    errc code_of_recovery(const sandbox_id& id, std::string runtime_name = "fake")
    {
        return get(service.recover(id, std::move(runtime_name), {"execution_id", "exe_1"})).error().code;
    }

    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    null_logger log;
    id_factory ids{time};
    tenant_id tenant = ids.make<tenant_id>();
    testing::fake_sandbox_store store;
    testing::fake_runtime runtime;
    planned_sandboxes pool;
    std::vector<const caisson::runtime*> made_anew;
    sandbox_sources sources{.runtimes = {{"fake", &runtime}}};
    sweep_rules rules;
    sandbox_service service{{context.get_executor(), time, log, ids, store, sources}, pool,
        [this](const caisson::runtime& where) { made_anew.push_back(&where); }, {}, rules};
};

TEST_F(SandboxService, CreatesStartsAndTellsThatSomebodyWaited)
{
    auto wanted = shape();
    const auto id = wanted.spec.id;
    auto lease = get(service.create(wanted));
    ASSERT_TRUE(lease.has_value());
    EXPECT_EQ(lease->home->box().id(), id);
    EXPECT_FALSE(runtime.box(0).started);
    EXPECT_EQ(made_anew, std::vector<const caisson::runtime*>{&runtime});
    ASSERT_TRUE(get(service.start(&*lease, of_program)).has_value());
    EXPECT_TRUE(runtime.box(0).started);
    EXPECT_EQ(lease->group, nullptr) << "the runtime does not create fast";
    ASSERT_TRUE(sandbox_service::open_group(*lease, of_program).has_value());
    EXPECT_NE(lease->group, nullptr);
    EXPECT_EQ(runtime.box(0).limits.at(first_program_group), of_program);
}

TEST_F(SandboxService, ARuntimeThatCreatesFastOpensTheGroupAtTheStart)
{
    runtime.soon = true;
    const auto lease = made();
    EXPECT_NE(lease.group, nullptr);
}

TEST_F(SandboxService, OpensAGroupOnce)
{
    auto lease = made();
    ASSERT_TRUE(sandbox_service::open_group(lease, of_program).has_value());
    const auto* const first = lease.group.get();
    ASSERT_TRUE(sandbox_service::open_group(lease, of_program).has_value());
    EXPECT_EQ(lease.group.get(), first);
}

TEST_F(SandboxService, OpensTheFirstProgramsGroupBesideThoseOfOthers)
{
    constexpr group_name second{.program = 2};
    constexpr group_name second_compiler{.program = 2, .use = group_use::compiler};
    constexpr group_limits of_second{32 << 20, 500, 8};
    constexpr group_limits of_compiler{16 << 20, 250, 4};
    using by_name = std::map<group_name, group_limits>;
    auto lease = made();
    auto& box = lease.home->box();
    const auto beside = box.open_group(second, of_second).value();
    const auto compiler = box.open_group(second_compiler, of_compiler).value();
    ASSERT_TRUE(sandbox_service::open_group(lease, of_program).has_value());
    EXPECT_EQ(runtime.box(0).limits, (by_name{{first_program_group, of_program}, {second, of_second}, {second_compiler, of_compiler}}));
    EXPECT_TRUE(get(compiler->remove()).has_value());
    EXPECT_EQ(runtime.box(0).limits, (by_name{{first_program_group, of_program}, {second, of_second}}));
    beside->kill();
    EXPECT_TRUE(get(beside->remove()).has_value());
    EXPECT_EQ(runtime.box(0).limits, (by_name{{first_program_group, of_program}}));
    EXPECT_EQ(runtime.box(0).group_kills, 0U) << "of the first program";
    EXPECT_TRUE(get(lease.group->remove()).has_value());
    EXPECT_EQ(runtime.box(0).limits, by_name());
}

TEST_F(SandboxService, SaysThatARuntimeIsNotEnabled)
{
    auto wanted = shape();
    wanted.runtime = "docker";
    const auto made = get(service.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_TRUE(made_anew.empty());
}

TEST_F(SandboxService, WhatCouldNotStartIsStillTheCallersToRemove)
{
    runtime.fail_next(call::start, {errc::runtime_unavailable, "no process can be made"});
    auto lease = get(service.create(shape()));
    ASSERT_TRUE(lease.has_value());
    ASSERT_TRUE(get(service.start(&*lease, of_program)).has_error());
    EXPECT_FALSE(runtime.box(0).destroyed);
    ASSERT_TRUE(get(service.remove({lease->home, std::nullopt, ""})).has_value());
    EXPECT_TRUE(runtime.box(0).destroyed);
}

TEST_F(SandboxService, GivesAwayWhatIsReady)
{
    EXPECT_FALSE(service.has_ready(shape()));
    EXPECT_FALSE(service.try_acquire(shape()));
    pool.next = made();
    EXPECT_TRUE(service.has_ready(shape()));
    EXPECT_TRUE(service.try_acquire(shape()));
    EXPECT_FALSE(service.try_acquire(shape()));
}

TEST_F(SandboxService, RecordsASandboxWithItsHolder)
{
    const auto lease = made();
    const auto row = service.record_of(*lease.home, tenant, "fake", {holder_kind::execution, "exe_1"});
    EXPECT_EQ(row.id, lease.home->box().id());
    EXPECT_EQ(row.tenant, tenant);
    EXPECT_EQ(row.holder, (holder_ref{holder_kind::execution, "exe_1"}));
    EXPECT_EQ(row.runtime, "fake");
    EXPECT_EQ(row.state, sandbox_state::running);
    EXPECT_EQ(row.runtime_state, lease.home->box().runtime_state());
    EXPECT_EQ(row.created_at_ms, time.now_ms());
}

TEST_F(SandboxService, FindsASandboxOfAnEarlierServer)
{
    auto lease = made();
    const auto row = recorded(lease);
    lease = {};
    const auto found = get(service.recover(row.id, "fake", {"execution_id", "exe_1"}));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ((*found)->box().id(), row.id);
}

TEST_F(SandboxService, TellsWhyASandboxCannotBeTakenUp)
{
    auto lease = made();
    const auto row = recorded(lease);
    lease = {};
    EXPECT_EQ(code_of_recovery(ids.make<sandbox_id>()), errc::not_found) << "it has no record";
    EXPECT_EQ(code_of_recovery(row.id, "docker"), errc::not_found) << "its runtime is not enabled any more";
    runtime.fail_next(call::recover, {errc::runtime_unavailable, "the engine does not answer"});
    EXPECT_EQ(code_of_recovery(row.id), errc::runtime_unavailable);
    runtime.fail_next(call::recover, {errc::gone, "its agent does not run any more"});
    EXPECT_EQ(code_of_recovery(row.id), errc::gone);
}

TEST_F(SandboxService, EndsTheRecordOfWhatItDestroyed)
{
    const auto lease = made();
    const auto row = recorded(lease);
    ASSERT_TRUE(get(service.remove({lease.home, row.id, "its execution ended: ok"})).has_value());
    EXPECT_TRUE(runtime.box(0).destroyed);
    EXPECT_EQ(store.row(row.id).state, sandbox_state::destroyed);
    EXPECT_EQ(store.row(row.id).cause, "its execution ended: ok");
    EXPECT_EQ(store.row(row.id).runtime_state, "");
    EXPECT_EQ(store.row(row.id).ended_at_ms, time.now_ms());
}

TEST_F(SandboxService, EndsTheRecordOfWhatIsGoneAsLost)
{
    const auto row = recorded(made());
    ASSERT_TRUE(get(service.remove({nullptr, row.id, "the host rebooted"})).has_value());
    EXPECT_EQ(store.row(row.id).state, sandbox_state::lost);
    EXPECT_EQ(store.row(row.id).cause, "the host rebooted");
}

TEST_F(SandboxService, WhatCannotBeDestroyedKeepsItsRecord)
{
    const auto lease = made();
    const auto row = recorded(lease);
    runtime.fail_next(call::destroy, {errc::timed_out, "the kernel has not let a cgroup go"});
    EXPECT_EQ(get(service.remove({lease.home, row.id, "over"})).error().code, errc::timed_out);
    EXPECT_EQ(store.row(row.id).state, sandbox_state::running);
    ASSERT_TRUE(get(service.remove({lease.home, row.id, "over"})).has_value()) << "it may be repeated";
    EXPECT_EQ(store.row(row.id).state, sandbox_state::destroyed);
}

TEST_F(SandboxService, ARemovalThatHangsEndsAfterHalfAMinute)
{
    const auto lease = made();
    const auto row = recorded(lease);
    runtime.gate_of(call::destroy).cork();
    std::optional<result<void>> done;
    asio::co_spawn(context, service.remove({lease.home, row.id, "over"}), [&](std::exception_ptr failure, result<void> outcome) {
        EXPECT_FALSE(failure);
        done = std::move(outcome);
    });
    context.restart();
    context.poll();
    EXPECT_FALSE(done);
    time.advance(30s);
    context.restart();
    context.poll();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->error().code, errc::timed_out);
    EXPECT_EQ(store.row(row.id).state, sandbox_state::running);
    runtime.gate_of(call::destroy).uncork();
    context.restart();
    context.poll();
}

}    // namespace
}    // namespace caisson
