// Code that was compiled before: what its compiler made is used again, and only by whom and for what it was made.

#include "tests/core/exec/service_world.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using status = execution_status;

constexpr std::string_view code = "int main;";

execution_spec compiled()
{
    auto spec = service_world::program();
    spec.kind = execution_kind::code;
    spec.language = "c";
    spec.argv = {".caisson/main"};
    spec.files = {{"main.c", shared_bytes(std::string(code))}};
    auto& step = spec.compile.emplace();
    step.argv = {"gcc", "main.c"};
    step.limits = {10'000, 8'000, 64 << 20};
    return spec;
}

void add_file(std::string& out, std::string_view path, std::string_view bytes, std::uint32_t mode, bool is_output = false)
{
    protocol::append_file(out, {is_output, bytes.size(), mode, 0, std::string(path)});
    protocol::append_data_head(out, bytes.size());
    out += bytes;
    protocol::append_end(out);
}

class ExecutionCompiled : public ::testing::Test {
protected:
    ExecutionCompiled()
    {
        w.compiled.most = 1 << 20;
        w.runtime.prepare = [this](testing::fake_box& box) { box.agent->collected = [this](const auto& what) { return left(what); }; };
    }

    /// What lies in the sandbox once the compiler has ended.
    std::string left(const protocol::spawn_request& what)
    {
        std::string out(protocol::collect_magic);
        const auto asks_for = [&](std::string_view word) { return std::ranges::find(what.argv, word) != what.argv.end(); };
        if (asks_for("--output"))
            add_file(out, ".caisson/main", made, 0755, true);
        if (asks_for("/workspace/.caisson"))
            add_file(out, "main", made, 0755);
        if (asks_for("/workspace"))
            add_file(out, "main.c", source, 0644);
        if (asks_for("/workspace") && !beside.empty())
            add_file(out, "z.txt", beside, 0644);
        if (!never_done)
            protocol::append_done(out, {.skipped = skipped, .entries = 3, .problem = {}});
        return out;
    }
    testing::fake_agent& last_agent() { return w.agent(w.runtime.created() - 1); }
    execution_id submit(execution_spec spec = compiled())
    {
        const auto before = w.runtime.created();
        const auto id = w.submit(std::move(spec));
        EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() > before; }));
        EXPECT_TRUE(w.advance_until([&] { return last_agent().compiler.is_running() || last_agent().is_running(); }));
        return id;
    }
    void compiler_exits(int exit_code)
    {
        last_agent().compiler.exit(exit_code);
        last_agent().turn();
        w.advance(100ms);
    }
    /// Its whole life, compiled or not.
    const execution_row& run(execution_spec spec = compiled())
    {
        const auto id = submit(std::move(spec));
        if (last_agent().compiler.is_running()) {
            last_agent().compiler.print("a warning");
            compiler_exits(0);
        }
        EXPECT_TRUE(w.advance_until([&] { return last_agent().is_running(); }));
        last_agent().exit(0);
        return w.ended(id);
    }
    bool was_compiled() { return !last_agent().compiler.requests.empty(); }

    service_world w;
    std::string made = "ELF";
    std::string source{code};
    std::string beside;
    std::uint64_t skipped = 0;
    bool never_done = false;    // of what reads the files
};

TEST_F(ExecutionCompiled, IsNotCompiledAgain)
{
    const auto first = run();
    EXPECT_FALSE(first.compile->cached);
    const auto second = run();
    EXPECT_FALSE(was_compiled());
    ASSERT_TRUE(second.compile);
    EXPECT_TRUE(second.compile->cached);
    EXPECT_EQ(second.status, status::success);
    EXPECT_EQ(second.compile->status, status::success);
    EXPECT_EQ(second.compile->verdict, verdict::exited);
    EXPECT_EQ(second.compile->exit_code, 0);
    EXPECT_EQ(second.compile->output, first.compile->output);
    EXPECT_EQ(second.compile->output, "a warning");
    EXPECT_THAT(last_agent().files, ElementsAre(Pair(".caisson", ""), Pair(".caisson/main", "ELF"), Pair("main.c", "int main;")));
    EXPECT_THAT(last_agent().request->argv, ElementsAre(".caisson/main"));
    EXPECT_TRUE(w.compiled.keeps_what_was_asked);
    EXPECT_TRUE(w.log.errors.empty());
}

TEST_F(ExecutionCompiled, WhatTheCompilerIsGivenInTheBuildDirectoryIsNotLookedFor)
{
    auto spec = compiled();
    spec.compile->files = {{".caisson/go/go.mod", shared_bytes("module main")}};
    EXPECT_FALSE(run(spec).compile->cached);
    EXPECT_TRUE(run(spec).compile->cached);
}

TEST_F(ExecutionCompiled, OfWhichTheProgramIsManyFilesIsReadInTwoParts)
{
    auto spec = compiled();
    spec.language = "java";
    run(spec);
    ASSERT_EQ(last_agent().collections.size(), 2u);
    EXPECT_EQ(last_agent().collections[0].argv.back(), "**");
    EXPECT_THAT(last_agent().collections[0].argv, Contains("/workspace/.caisson"));
    EXPECT_THAT(last_agent().collections[1].argv, Contains("/workspace"));
    EXPECT_TRUE(run(spec).compile->cached);
    EXPECT_THAT(last_agent().files, Contains(Pair(".caisson/main", "ELF")));
}

TEST_F(ExecutionCompiled, IsRecordedBeforeItsProgramStarts)
{
    run();
    execution_id id;
    bool was_recorded = false;
    w.runtime.prepare = [&](testing::fake_box& box) {
        box.agent->program = [&](testing::fake_agent&) { was_recorded = w.row(id).compile && w.row(id).compile->cached; };
    };
    w.runtime.gate_of(testing::fake_runtime::call::create).cork();
    id = w.submit(compiled());
    w.runtime.gate_of(testing::fake_runtime::call::create).uncork();
    EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() == 2 && last_agent().is_running(); }));
    EXPECT_TRUE(was_recorded);
    EXPECT_EQ(w.find(id)->waits_for, "");
}

TEST_F(ExecutionCompiled, IsReadBeforeTheProgramStarts)
{
    submit();
    last_agent().collector_hangs = never_done = true;
    compiler_exits(0);
    EXPECT_FALSE(last_agent().is_running());
    EXPECT_EQ(last_agent().collections.size(), 1u);
    EXPECT_THAT(last_agent().collections[0].argv, Contains(".caisson/main"));
    EXPECT_THAT(last_agent().collections[0].wall_ms, ::testing::Gt(0u));
    w.advance(1s);
    w.advance(1s);
    EXPECT_TRUE(last_agent().is_running()) << "it is not held up for long";
}

TEST_F(ExecutionCompiled, BringsBackWhatItMadeAndChangedBesides)
{
    beside = "generated";
    source = "int main; // formatted";
    run();
    run();
    EXPECT_FALSE(was_compiled());
    EXPECT_THAT(last_agent().files, Contains(Pair("z.txt", "generated")));
    EXPECT_THAT(last_agent().files, Contains(Pair("main.c", "int main; // formatted")));
}

TEST_F(ExecutionCompiled, TheCompilerIsNotToldForWhom)
{
    run();
    for (const std::string name : {"CAISSON_EXECUTION_ID", "CAISSON_ATTEMPT"}) {
        EXPECT_THAT(last_agent().compiler.requests[0].env, Not(Contains(Key(name))));
        EXPECT_THAT(last_agent().request->env, Contains(Key(name)));
    }
}

TEST_F(ExecutionCompiled, IsAskedForWithAllThatTheCompilerSees)
{
    auto spec = compiled();
    spec.env = {{"MODE", "loose"}};
    run(std::move(spec));
    ASSERT_EQ(w.compiled.asked.size(), 1u);
    const auto& asked = w.compiled.asked[0];
    EXPECT_EQ(asked.tenant, w.tenant);
    EXPECT_EQ(asked.language, "c");
    EXPECT_EQ(asked.runtime, "fake");
    EXPECT_EQ(asked.directory, "/workspace");
    EXPECT_THAT(asked.argv, ElementsAre("gcc", "main.c"));
    EXPECT_EQ(asked.env, last_agent().compiler.requests[0].env);
    EXPECT_THAT(asked.env, Contains(Pair("MODE", "loose")));
    ASSERT_EQ(asked.files.size(), 2u);
    EXPECT_EQ(asked.files[1].path, "main.c");
}

TEST_F(ExecutionCompiled, ThatItsLimitsHaveNoRoomForIsCompiled)
{
    made = std::string(5'000, 'x');
    run();
    auto spec = compiled();
    spec.limits.file_bytes = 4'096;
    run(std::move(spec));
    EXPECT_TRUE(was_compiled());
}

TEST_F(ExecutionCompiled, IsForgottenByNoRetryOfItsProgram)
{
    run();
    auto spec = compiled();
    spec.idempotent = true;
    spec.retry.attempts = 2;
    spec.retry.exit_codes = {7};
    const auto id = submit(std::move(spec));
    last_agent().exit(7);
    EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() == 3 && last_agent().is_running(); }));
    EXPECT_FALSE(was_compiled());
    EXPECT_THAT(last_agent().files, Contains(Pair(".caisson/main", "ELF")));
    last_agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_TRUE(w.row(id).compile->cached);
}

TEST_F(ExecutionCompiled, IsNotLookedForInASandboxOfAnEarlierServer)
{
    const auto id = submit();
    w.restart(1s);
    EXPECT_TRUE(w.advance_until([&] { return last_agent().compiler.requests.size() == 2; }));
    compiler_exits(0);
    EXPECT_TRUE(w.advance_until([&] { return last_agent().is_running(); }));
    last_agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.compiled.asked.size(), 1u);
    EXPECT_THAT(w.compiled.kept, IsEmpty());
}

TEST_F(ExecutionCompiled, WhoseServerIsKilledBehindItGoesOn)
{
    run();
    const auto id = submit();
    EXPECT_TRUE(w.advance_until([&] { return last_agent().is_running(); }));
    w.restart(1s);
    w.advance(100ms);
    last_agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_TRUE(w.row(id).compile->cached);
}

TEST_F(ExecutionCompiled, OfProgramsThatAreNotIsolatedIsNotKept)
{
    w.runtime.host.isolates = false;
    run();
    EXPECT_THAT(w.compiled.asked, IsEmpty());
    EXPECT_THAT(w.compiled.kept, IsEmpty());
}

/// What ends a compiler, or lies in its sandbox.
struct unkept_case {
    std::string_view name;
    void (*arrange)(ExecutionCompiled&, testing::fake_box&);
    int exit_code = 0;
};
void PrintTo(const unkept_case& c, std::ostream* out) { *out << c.name; }

class ExecutionNotKept : public ExecutionCompiled, public ::testing::WithParamInterface<unkept_case> {
public:
    using ExecutionCompiled::made;
    using ExecutionCompiled::never_done;
    using ExecutionCompiled::skipped;
    using ExecutionCompiled::w;
};

TEST_P(ExecutionNotKept, IsCompiledEachTime)
{
    const auto id = submit();
    GetParam().arrange(*this, w.box());
    compiler_exits(GetParam().exit_code);
    w.advance(3s);
    if (last_agent().is_running())
        last_agent().exit(0);
    w.ended(id);
    EXPECT_THAT(w.compiled.kept, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionNotKept,
    ::testing::Values(unkept_case{"exit_code", [](auto&, auto&) {}, 1},
        unkept_case{"signal", [](auto&, auto& box) { box.agent->compiler.end(SIGSEGV); }},
        unkept_case{"wall_limit", [](auto&, auto& box) { box.agent->compiler.end(SIGKILL, protocol::exit_cause::wall_limit); }},
        unkept_case{"wall_limit_and_zero", [](auto&, auto& box) { box.agent->compiler.end(0, protocol::exit_cause::wall_limit); }},
        unkept_case{"cpu_limit_and_zero", [](auto&, auto& box) { box.compiler_usage.cpu_us = 8'000'000; }},
        unkept_case{"memory_and_zero", [](auto&, auto& box) { box.compiler_usage.oom_kills = 1; }},
        unkept_case{"processes_refused", [](auto&, auto& box) { box.compiler_usage.pids_refused = 1; }},
        unkept_case{"disk_full", [](auto&, auto& box) { box.disk = disk_usage{true, false}; }},
        unkept_case{"inodes_full", [](auto&, auto& box) { box.disk = disk_usage{false, true}; }},
        unkept_case{"agent_lost", [](auto&, auto& box) { box.agent->die("killed"); }},
        unkept_case{"link_left", [](auto& test, auto&) { static_cast<ExecutionNotKept&>(test).skipped = 1; }},
        unkept_case{"too_large", [](auto& test, auto&) { static_cast<ExecutionNotKept&>(test).made = std::string(2 << 20, 'x'); }},
        unkept_case{"collector_hangs",
            [](auto& test, auto& box) {
                static_cast<ExecutionNotKept&>(test).never_done = true;
                box.agent->collector_hangs = true;
            }},
        unkept_case{"collector_ends_early", [](auto& test, auto&) { static_cast<ExecutionNotKept&>(test).never_done = true; }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ExecutionCompiled, ACancelledOneIsNotKept)
{
    const auto id = submit();
    EXPECT_TRUE(w.cancel(id).has_value());
    w.ended(id);
    EXPECT_THAT(w.compiled.kept, IsEmpty());
}

}    // namespace
}    // namespace caisson
