#include "adapters/engine/events.hpp"

#include "core/async/task_group.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string line(std::string_view action, std::string_view id, std::int64_t at_ns)
{
    const boost::json::object json{{"Type", "container"}, {"Action", action},
        {"Actor", {{"ID", id}, {"Attributes", {{"exitCode", "7"}, {"image", "x"}}}}}, {"scope", "local"}, {"time", at_ns / 1'000'000'000},
        {"timeNano", at_ns}};
    return boost::json::serialize(json) + "\n";
}

TEST(ContainerEvent, IsReadOfOneLine)
{
    const auto got = container_event_from(boost::json::parse(line("die", "abc", 5)).as_object());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->action, "die");
    EXPECT_EQ(got->id, "abc");
    EXPECT_EQ(got->attributes.at("exitCode"), "7");
    EXPECT_EQ(got->at_ns, 5);
}

TEST(ContainerEvent, IsNotReadOfOtherThings)
{
    for (const auto* other :
        {"{}", R"({"Action":"die"})", R"({"Action":"die","Actor":{"ID":"x"}})", R"({"Action":"die","Actor":"x","timeNano":1})",
            R"({"Action":1,"Actor":{"ID":"x"},"timeNano":1})", R"({"Action":"die","Actor":{"ID":"x"},"timeNano":"1"})"})
        EXPECT_FALSE(container_event_from(boost::json::parse(other).as_object())) << other;
}

class EventFeed : public imposter_test {
protected:
    void TearDown() override
    {
        run(tasks.stop());
        imposter_test::TearDown();
    }
    void follow(std::vector<std::string> labels = {"caisson.instance=a"})
    {
        event_feed::listener to{
            [this](const container_event& one) { seen.push_back(one.action + " " + one.id); },
            [this] { seen.emplace_back("restored"); },
            [this](const error& why) {
                seen.emplace_back("lost");
                reason = why.detail;
            },
        };
        feed.emplace(on, time, std::move(labels), std::move(to));
        tasks.spawn("events", feed->run());
        settle();
    }
    std::vector<imposter::seen_request> asked() { return there.requests("GET", "/events"); }
    void pass(std::chrono::milliseconds by)
    {
        time.advance(by);
        settle();
    }

    null_logger silent;
    task_group tasks{context.get_executor(), silent};
    std::optional<event_feed> feed;
    std::vector<std::string> seen;
    std::string reason;
};

TEST_F(EventFeed, HandsOnWhatComes)
{
    auto& answer = there.on("GET", "/events").stream();
    follow({"caisson.instance=a", "x=y"});
    EXPECT_THAT(seen, IsEmpty());
    answer.chunk(line("start", "a", 1) + line("die", "a", 2).substr(0, 20));
    settle();
    EXPECT_THAT(seen, ElementsAre("start a"));
    answer.chunk(line("die", "a", 2).substr(20) + line("oom", "b", 3));
    settle();
    EXPECT_THAT(seen, ElementsAre("start a", "die a", "oom b"));
    ASSERT_THAT(asked(), SizeIs(1));
    EXPECT_EQ(asked()[0].query_value("filters"), R"({"type":["container"],"label":["caisson.instance=a","x=y"]})");
    EXPECT_EQ(asked()[0].query_value("since"), "1700000000.000000000");
}

TEST_F(EventFeed, GoesOnWhereItWasCutOff)
{
    there.on("GET", "/events").stream().chunk(line("start", "a", 1'700'000'007'000'000'042)).cut();
    auto& second = there.on("GET", "/events").stream();
    follow();
    EXPECT_THAT(seen, ElementsAre("start a", "lost"));
    EXPECT_THAT(reason, HasSubstr("the Docker engine cannot be used"));
    pass(99ms);
    EXPECT_THAT(asked(), SizeIs(1));
    pass(1ms);
    EXPECT_THAT(seen, ElementsAre("start a", "lost", "restored"));
    ASSERT_THAT(asked(), SizeIs(2));
    EXPECT_EQ(asked()[1].query_value("since"), "1700000007.000000043");
    second.chunk(line("die", "a", 1'700'000'008'000'000'000));
    settle();
    EXPECT_EQ(seen.back(), "die a");
}

TEST_F(EventFeed, AnEndIsACutToo)
{
    there.on("GET", "/events").stream().end();
    there.on("GET", "/events").stream();
    follow();
    EXPECT_THAT(seen, ElementsAre("lost"));
    EXPECT_THAT(reason, HasSubstr("ended its events"));
    pass(100ms);
    EXPECT_THAT(seen, ElementsAre("lost", "restored"));
}

TEST_F(EventFeed, ComesBackWithTheEngine)
{
    there.on("GET", "/events").stream();
    follow();
    there.go_down();
    settle();
    for (int i = 0; i < 20; ++i)
        pass(1s);
    EXPECT_THAT(seen, ElementsAre("lost")) << "it is told once";
    there.come_up();
    pass(5s);
    EXPECT_THAT(seen, ElementsAre("lost", "restored"));
    EXPECT_THAT(asked(), SizeIs(2));
}

TEST_F(EventFeed, BeginsWhenTheEngineDoes)
{
    there.on("GET", "/events").stream();
    there.go_down();
    follow();
    EXPECT_THAT(seen, ElementsAre("lost"));
    there.come_up();
    pass(100ms);
    EXPECT_THAT(seen, ElementsAre("lost", "restored"));
}

TEST_F(EventFeed, AsksLessAndLessOften)
{
    there.on("GET", "/events").fails(500, "no events today");
    follow();
    EXPECT_THAT(reason, HasSubstr("no events today"));
    std::size_t known = 1;
    for (const auto delay : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
        pass(delay - 1ms);
        EXPECT_THAT(asked(), SizeIs(known)) << delay.count();
        pass(1ms);
        EXPECT_THAT(asked(), SizeIs(++known)) << delay.count();
    }
    EXPECT_THAT(seen, ElementsAre("lost"));
}

TEST_F(EventFeed, AFeedThatLastedBeginsWithTheFirstDelay)
{
    for (int i = 0; i < 3; ++i)
        there.on("GET", "/events").fails(500, "no");
    auto& good = there.on("GET", "/events").stream();
    there.on("GET", "/events").stream();
    follow();
    pass(100ms);
    pass(200ms);
    pass(400ms);
    EXPECT_THAT(asked(), SizeIs(4));
    pass(10s);
    good.cut();
    settle();
    pass(100ms);
    EXPECT_THAT(asked(), SizeIs(5));
}

struct feed_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;
};
class BrokenFeed : public EventFeed, public ::testing::WithParamInterface<feed_case> { };
TEST_P(BrokenFeed, IsBegunAnew)
{
    there.on("GET", "/events").stream().chunk(GetParam().bytes);
    auto& second = there.on("GET", "/events").stream();
    follow();
    ASSERT_THAT(seen, ElementsAre("lost"));
    EXPECT_THAT(reason, HasSubstr(GetParam().says));
    pass(100ms);
    second.chunk(line("die", "a", 1));
    settle();
    EXPECT_THAT(seen, ElementsAre("lost", "restored", "die a"));
}
INSTANTIATE_TEST_SUITE_P(All, BrokenFeed,
    ::testing::Values(feed_case{"no_json", "<html>", "not understood"}, feed_case{"broken_json", "{\"Action\":}", "not understood"},
        feed_case{"huge", "{\"a\":\"" + std::string(2'000'000, 'x'), "larger than"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(EventFeed, PassesOverWhatTellsOfOtherThings)
{
    there.on("GET", "/events").stream().chunk("{\"Type\":\"network\"}\n" + line("die", "a", 1));
    follow();
    EXPECT_THAT(seen, ElementsAre("die a"));
}

TEST_F(EventFeed, EndsWhenItIsCancelled)
{
    there.on("GET", "/events").stream();
    follow();
    run(tasks.stop());
    settle();
    EXPECT_EQ(tasks.size(), 0u);
    EXPECT_THAT(seen, IsEmpty());
}

}    // namespace
}    // namespace caisson::docker
