#include "tests/core/exec/service_world.hpp"

#include <cerrno>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

const error broken{errc::runtime_unavailable, "the host is full"};

struct start_case {
    std::string_view name;
    std::function<void(service_world&)> break_it;
    std::string_view error;    // a part of it
};

class ExecutionStart : public ::testing::TestWithParam<start_case> { };

TEST_P(ExecutionStart, FailsWithTheCauseAndLeavesNothing)
{
    service_world w;
    GetParam().break_it(w);
    auto spec = w.program();
    spec.retry.attempts = 1;
    const auto id = w.submit(spec);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::failed);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_NE(row.error.find(GetParam().error), std::string::npos) << row.error;
    EXPECT_EQ(row.error.find("disk is broken"), std::string::npos) << "the store's words are for the log";
    EXPECT_TRUE(w.stored(id).ends_with("[usage][exit]")) << w.stored(id);
    EXPECT_EQ(w.stored(id).find("[running]"), std::string::npos);
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_TRUE(w.get(w.sandboxes.alive())->empty());
    const auto next = w.run();    // the service goes on
    w.agent(w.runtime.created() - 1).exit(0);
    EXPECT_EQ(w.ended(next).status, execution_status::success);
}

auto fails(call which)
{
    return [which](service_world& w) { w.runtime.fail_next(which, broken); };
}
auto throws(call which)
{
    return [which](service_world& w) { w.runtime.throw_next(which, "the host is full"); };
}
void with_next_agent(service_world& w, std::function<void(testing::fake_agent&)> change)
{
    w.runtime.prepare = [&w, change = std::move(change)](testing::fake_box& box) {
        change(*box.agent);
        auto none = std::exchange(w.runtime.prepare, nullptr);
    };
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionStart,
    ::testing::Values(start_case{"create_fails", fails(call::create), "the host is full"},
        start_case{"create_throws", throws(call::create), "the host is full"},
        start_case{"start_fails", fails(call::start), "the host is full"},
        start_case{"start_throws", throws(call::start), "the host is full"},
        start_case{"connect_fails", fails(call::connect), "the host is full"},
        start_case{"group_fails", fails(call::open_group), "the host is full"},
        start_case{"agent_is_silent", [](auto& w) { with_next_agent(w, [](auto& a) { a.mute(); }); }, "does not answer"},
        start_case{"agent_is_dead", [](auto& w) { with_next_agent(w, [](auto& a) { a.die("at once"); }); }, "does not answer"},
        start_case{"no_program", [](auto& w) { with_next_agent(w, [](auto& a) { a.start_code = ENOENT; }); }, "No such file"},
        start_case{"sandbox_record_fails", [](auto& w) { w.sandboxes.fail_next({errc::internal, "disk is broken"}); },
            "could not be stored; the server's log"},
        start_case{"record_fails",
            [](auto& w) {
                w.executions.let_pass(1);
                w.executions.fail_next({errc::internal, "disk is broken"});
            },
            "could not be stored; the server's log"},
        start_case{
            "sandbox_record_throws", [](auto& w) { w.sandboxes.throw_next("disk is broken"); }, "could not be stored; the server's log"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionStarts, UnknownRuntimeIsNamed)
{
    service_world w;
    auto spec = w.program();
    spec.runtime = "nosuch";
    const auto id = w.submit(spec);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_NE(row.error.find("\"nosuch\""), std::string::npos) << row.error;
}

TEST(ExecutionStarts, AFileThatCannotBePutIsTheCause)
{
    service_world w;
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->file_code = ENOSPC; };
    auto spec = w.program();
    spec.files = {{"main.py", shared_bytes("x")}};
    const auto id = w.submit(spec);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_NE(row.error.find("file main.py: No space left"), std::string::npos) << row.error;
    EXPECT_EQ(w.agent().request, std::nullopt);
}

TEST(ExecutionStarts, DegradedControlsAreInTheRecord)
{
    service_world w;
    w.runtime.host.degraded.push_back({"memory", "no cgroup", "run as root"});
    const auto id = w.run();
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).degraded, std::vector<std::string>{"memory"});
}

TEST(ExecutionStarts, TheRecordNamesTheSandboxBeforeTheProgramRuns)
{
    service_world w;
    w.runtime.gate_of(call::connect).cork();
    const auto id = w.submit();
    ASSERT_TRUE(w.row(id).sandbox);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).runtime_state, R"({"fake":")" + w.row(id).sandbox->str() + R"("})");
    EXPECT_EQ(w.agent().spawns, 0u);
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    w.runtime.gate_of(call::connect).uncork();
    w.turn();
    EXPECT_EQ(w.agent().spawns, 1u);
    EXPECT_EQ(w.find(id)->status, execution_status::running);
}

}    // namespace
}    // namespace caisson
