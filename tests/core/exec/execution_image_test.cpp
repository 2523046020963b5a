#include "tests/core/exec/retry_world.hpp"

#include <gmock/gmock.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using retrying::faults_of;
using testing::digest_of;
using ::testing::HasSubstr;

class ExecutionImage : public ::testing::Test {
protected:
    ExecutionImage()
    {
        w.runtime.images = true;
        w.images.present = {"bash:5"};
    }
    static execution_spec program(const std::string& image = "bash:5")
    {
        auto spec = service_world::program();
        spec.image = image;
        return spec;
    }
    service_world w;
};

TEST_F(ExecutionImage, ThatTheEngineHasIsWhatTheSandboxIsMadeOf)
{
    const auto id = w.run(program());
    EXPECT_EQ(w.box().spec.image, "bash:5");
    EXPECT_EQ(w.row(id).image, "bash:5");
    EXPECT_EQ(w.row(id).image_digest, digest_of("bash:5"));
    EXPECT_EQ(w.images.fetches, 0u);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).image_digest, digest_of("bash:5"));
    EXPECT_EQ(w.stored(id), "[queued][running][usage][exit]");
}

TEST_F(ExecutionImage, LeavesThePathToTheAgent)
{
    w.run(program());
    for (const auto& [name, value] : w.agent().request->env)
        EXPECT_NE(name, "PATH") << value;
}

TEST_F(ExecutionImage, IsNotAskedForWhereARuntimeHasNone)
{
    w.runtime.images = false;
    const auto id = w.run(program("other:1"));
    EXPECT_EQ(w.box().spec.image, "");
    EXPECT_EQ(w.row(id).image_digest, "");
    EXPECT_EQ(w.images.finds, 0u);
}

TEST_F(ExecutionImage, ThatIsMissingIsFetchedWhileItsPlaceIsOthers)
{
    w.images.fetching.cork();
    w.images.progress = image_progress{3, 1, 43, 100};
    const auto id = w.submit(program("python:3.12-slim"));
    w.begin_log();
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_EQ(w.find(id)->waits_for, "the image python:3.12-slim is being pulled: 43 %");
    EXPECT_EQ(w.running(), 0u) << "its place is for others";
    EXPECT_EQ(w.runtime.created(), 0u);
    EXPECT_EQ(w.stored(id), "[queued][queued]") << "viewers are told what it waits for";
    const auto other = w.run(program());
    EXPECT_EQ(w.row(other).status, execution_status::running);
    w.images.fetching.uncork();
    w.turn();
    EXPECT_EQ(w.find(id)->waits_for, "");
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    EXPECT_EQ(w.row(id).image_digest, digest_of("python:3.12-slim"));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

TEST_F(ExecutionImage, APullIsNotWaitedForAfterACancel)
{
    w.images.fetching.cork();
    const auto id = w.submit(program("python:3.12-slim"));
    w.cancel(id);
    EXPECT_EQ(w.ended(id).verdict, verdict::cancelled);
    EXPECT_EQ(w.runtime.created(), 0u);
}

TEST_F(ExecutionImage, ThatCannotBeHadNowIsTriedAgain)
{
    w.images.failures["new:1"] = {errc::image_unavailable, "the registry is away"};
    const auto id = w.submit(program("new:1"));
    ASSERT_TRUE(w.advance_until([&] { return w.row(id).status == execution_status::running; }));
    EXPECT_EQ(faults_of(w.row(id)), "1:image_pull 2:runs");
    EXPECT_EQ(w.row(id).attempts.front().error, "the image new:1 could not be had: the registry is away");
    EXPECT_EQ(w.service().breaker_of("fake").faults, 0u) << "the runtime is not to blame";
    EXPECT_EQ(w.images.fetches, 2u);
}

TEST_F(ExecutionImage, ThatNobodyHasIsNot)
{
    w.images.failures["none:1"] = {errc::not_found, "no registry has none:1"};
    const auto id = w.submit(program("none:1"));
    EXPECT_EQ(w.ended(id).status, execution_status::failed);
    EXPECT_EQ(w.row(id).verdict, verdict::runtime_error);
    EXPECT_EQ(w.row(id).error, "the image none:1 could not be had: no registry has none:1");
    EXPECT_EQ(faults_of(w.row(id)), "1:image_pull");
    EXPECT_EQ(w.service().breaker_of("fake").faults, 0u);
}

TEST_F(ExecutionImage, AnEngineThatIsAwayIsTheRuntimesFault)
{
    w.images.fail_next({errc::runtime_unavailable, "the engine does not answer"});
    const auto id = w.submit(program());
    ASSERT_TRUE(w.advance_until([&] { return w.row(id).status == execution_status::running; }));
    EXPECT_EQ(faults_of(w.row(id)), "1:runtime_unavailable 2:runs");
    EXPECT_EQ(w.row(id).attempts.front().error, "the sandbox could not be started: the engine does not answer");
}

TEST_F(ExecutionImage, ThatIsGoneWhenTheSandboxIsMadeIsTriedAgain)
{
    w.runtime.fail_next(testing::fake_runtime::call::create, {errc::image_unavailable, "No such image: bash:5"});
    const auto id = w.submit(program());
    ASSERT_TRUE(w.advance_until([&] { return w.row(id).status == execution_status::running; }));
    EXPECT_EQ(faults_of(w.row(id)), "1:image_pull 2:runs");
    EXPECT_EQ(w.service().breaker_of("fake").faults, 0u);
}

TEST_F(ExecutionImage, IsFetchedByTheNextServerIfTheFirstOneDies)
{
    w.images.fetching.cork();
    const auto id = w.submit(program("python:3.12-slim"));
    w.kill_server();
    w.images.fetching.uncork();
    ASSERT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.row(id).status, execution_status::running);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

// What may run elsewhere while the default runtime makes no sandboxes.

class ExecutionFallback : public ::testing::Test {
protected:
    ExecutionFallback() : w(with_fallback())
    {
        w.runtime.images = true;
        w.images.present = {"bash:5"};
    }
    static service_world::options with_fallback()
    {
        service_world::options chosen;
        chosen.fallback = {"spare"};
        return chosen;
    }
    /// As a request makes it that names neither runtime nor image.
    static execution_spec program()
    {
        auto spec = service_world::program();
        spec.image = "bash:5";
        spec.may_fall_back = true;
        spec.argv = {"python3", "-u", "main.py"};
        spec.host_argv = {"/usr/bin/python3", "-u", "main.py"};
        spec.retry.attempts = 1;
        return spec;
    }
    void open_breaker()
    {
        for (int i = 0; i < 5; ++i) {
            auto spec = program();
            spec.may_fall_back = false;
            w.runtime.fail_next(testing::fake_runtime::call::create, retrying::broken);
            w.ended(w.submit(spec));
        }
        ASSERT_EQ(w.service().breaker_of("fake").state, circuit_breaker::state::open);
    }
    service_world w;
};

TEST_F(ExecutionFallback, RunsElsewhereWhileTheDefaultMakesNoSandboxes)
{
    open_breaker();
    const auto id = w.run(program());
    EXPECT_EQ(w.row(id).runtime, "spare");
    EXPECT_EQ(w.row(id).fallback_from, "fake");
    EXPECT_EQ(w.row(id).image, "");
    EXPECT_EQ(w.spare.box(0).spec.image, "");
    EXPECT_EQ(w.spare.agent(0).request->argv, (std::vector<std::string>{"/usr/bin/python3", "-u", "main.py"}));
    w.spare.agent(0).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

TEST_F(ExecutionFallback, IsNotUsedWhileTheDefaultWorks)
{
    const auto id = w.run(program());
    EXPECT_EQ(w.row(id).runtime, "fake");
    EXPECT_EQ(w.row(id).fallback_from, "");
    EXPECT_EQ(w.agent().request->argv.front(), "python3");
}

TEST_F(ExecutionFallback, IsNotForWhatNamedARuntimeOrAnImage)
{
    open_breaker();
    auto spec = program();
    spec.may_fall_back = false;
    const auto id = w.submit(spec);
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_THAT(w.find(id)->waits_for, HasSubstr("the runtime \"fake\" has been unavailable"));
    EXPECT_EQ(w.find(id)->runtime, "fake");
    EXPECT_EQ(w.spare.created(), 0u);
}

TEST_F(ExecutionFallback, IsNotForWhatTheHostCannotRun)
{
    open_breaker();
    auto spec = program();
    spec.host_argv.clear();
    const auto id = w.submit(spec);
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_EQ(w.spare.created(), 0u);
}

TEST_F(ExecutionFallback, TakesTheImageToARuntimeThatHasImages)
{
    w.spare.images = true;
    open_breaker();
    const auto id = w.run(program());
    EXPECT_EQ(w.row(id).runtime, "spare");
    EXPECT_EQ(w.spare.box(0).spec.image, "bash:5");
    EXPECT_EQ(w.spare.agent(0).request->argv.front(), "python3");
    EXPECT_EQ(w.row(id).image, "bash:5");
}

TEST_F(ExecutionFallback, EndsWhenTheDefaultWorksAgain)
{
    open_breaker();
    w.run(program());
    w.advance(1s);
    const auto trial = w.run(program());
    EXPECT_EQ(w.row(trial).runtime, "fake");
    EXPECT_EQ(w.service().breaker_of("fake").state, circuit_breaker::state::closed);
    EXPECT_EQ(w.row(w.run(program())).runtime, "fake");
}

TEST_F(ExecutionFallback, IsFoundAgainByTheNextServer)
{
    open_breaker();
    const auto id = w.run(program());
    w.restart();
    EXPECT_EQ(w.row(id).runtime, "spare");
    w.spare.agent(0).exit(3);
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.row(id).fallback_from, "fake");
}

TEST_F(ExecutionFallback, BothAreWaitedForWhenNoneWorks)
{
    open_breaker();
    for (int i = 0; i < 5; ++i) {
        w.spare.fail_next(testing::fake_runtime::call::create, retrying::broken);
        w.ended(w.submit(program()));
    }
    ASSERT_EQ(w.service().breaker_of("spare").state, circuit_breaker::state::open);
    const auto id = w.submit(program());
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_EQ(w.find(id)->runtime, "fake");
    EXPECT_EQ(w.find(id)->fallback_from, "");
    ASSERT_TRUE(w.advance_until([&] { return w.row(id).status == execution_status::running; }));
    EXPECT_EQ(w.row(id).runtime, "fake");
}

}    // namespace
}    // namespace caisson
