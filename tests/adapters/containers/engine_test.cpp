#include "tests/adapters/containers/fixture.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

using caisson::testing::script;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using json_result = result<boost::json::value>;

class Engine : public imposter_test {
protected:
    json_result get(std::string target) { return run(on.call("GET", std::move(target), soon())); }
    json_result post(std::string target) { return run(on.call("POST", std::move(target), soon())); }
    std::size_t asked(std::string method, std::string path) const { return there.requests(method, path).size(); }
};

TEST_F(Engine, SpeaksInTheVersionThatWasNegotiated)
{
    there.on("GET", "/info").json(200, {{"a", 1}});
    const auto got = get("/info");
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(boost::json::serialize(*got), R"({"a":1})");
    ASSERT_THAT(there.requests(), SizeIs(2));
    EXPECT_EQ(there.requests()[0].target, "/version");
    EXPECT_EQ(there.requests()[1].target, "/v1.41/info");
}

TEST_F(Engine, SendsBodiesAsJson)
{
    there.on("POST", "/containers/create").json(201, {{"Id", "x"}});
    const auto got = run(on.call("POST", "/containers/create?name=a", {{"Image", "b"}}, soon()));
    ASSERT_TRUE(got.has_value());
    const auto seen = there.requests("POST", "/containers/create").at(0);
    EXPECT_EQ(seen.fields.find("Content-Type"), "application/json");
    EXPECT_EQ(seen.body, R"({"Image":"b"})");
    EXPECT_EQ(seen.query_value("name"), "a");
}

TEST_F(Engine, NegotiatesOnceForAllWhoAsk)
{
    auto& version = there.on("GET", "/version");
    there.on("GET", "/info").json(200, {});
    const auto first = begin(on.call("GET", "/info", soon()));
    const auto second = begin(on.call("GET", "/info", soon()));
    settle();
    EXPECT_EQ(asked("GET", "/info"), 0u);
    version.json(200, {{"ApiVersion", "1.41"}});
    EXPECT_TRUE(end(*first).has_value());
    EXPECT_TRUE(end(*second).has_value());
    EXPECT_TRUE(get("/info").has_value());
    EXPECT_EQ(asked("GET", "/version"), 1u);
}

TEST_F(Engine, AFailedNegotiationFailsAllWhoWait)
{
    auto& version = there.on("GET", "/version");
    const auto first = begin(on.call("GET", "/info", soon()));
    const auto second = begin(on.call("GET", "/info", soon()));
    settle();
    version.fails(500, "not now");
    EXPECT_THAT(end(*first).error().detail, HasSubstr("not now"));
    EXPECT_THAT(end(*second).error().detail, HasSubstr("not now"));
    EXPECT_EQ(asked("GET", "/version"), 1u);
}

TEST_F(Engine, WhoHasMoreTimeAsksAgain)
{
    there.on("GET", "/version");
    there.on("GET", "/version").json(200, {{"ApiVersion", "1.41"}});
    there.on("GET", "/info").json(200, {});
    const auto impatient = begin(on.call("GET", "/info", time.steady_now() + 1s));
    const auto patient = begin(on.call("GET", "/info", time.steady_now() + 1min));
    settle();
    time.advance(1s);
    EXPECT_EQ(end(*impatient).error().code, errc::timed_out);
    EXPECT_TRUE(end(*patient).has_value());
    EXPECT_EQ(asked("GET", "/version"), 2u);
}

TEST_F(Engine, WhoWaitsForANegotiationHasADeadlineToo)
{
    there.on("GET", "/version");
    const auto patient = begin(on.call("GET", "/info", time.steady_now() + 1min));
    const auto impatient = begin(on.call("GET", "/info", time.steady_now() + 1s));
    settle();
    time.advance(1s);
    const auto& got = end(*impatient);
    EXPECT_EQ(got.error().code, errc::timed_out);
    EXPECT_THAT(got.error().detail, HasSubstr(there.address()));
    EXPECT_FALSE(patient->done());
    time.advance(1min);
    EXPECT_EQ(end(*patient).error().code, errc::timed_out);
}

struct version_case {
    std::string_view name;
    std::string api;
    std::string_view want;    // the version in targets, or a part of the error
    bool good;
};
class EngineOf : public imposter_test, public ::testing::WithParamInterface<version_case> { };
TEST_P(EngineOf, AnotherVersion)
{
    const auto& c = GetParam();
    caisson::testing::imposter other(context.get_executor(), {.version = "0.0.1", .api_version = c.api});
    engine to(context.get_executor(), time, {.address = other.address()});
    other.on("GET", "/info").json(200, {});
    const auto got = run(to.call("GET", "/info", soon()));
    ASSERT_EQ(got.has_value(), c.good);
    if (c.good)
        EXPECT_EQ(other.requests().back().version, c.want);
    else
        EXPECT_THAT(got.error().detail, HasSubstr(c.want));
    run(other.stop());
}
INSTANTIATE_TEST_SUITE_P(All, EngineOf,
    ::testing::Values(version_case{"old", "1.40", "1.40", true}, version_case{"newer", "1.47", "1.41", true},
        version_case{"too_old", "1.24", "too old: it is 0.0.1 with API 1.24", false},
        version_case{"unknown", "new", "no Docker engine", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Engine, IsAskedForItsVersionAgainWhenItWasAway)
{
    there.on("GET", "/info").json(200, {});
    ASSERT_TRUE(get("/info").has_value());
    there.go_down();
    const auto away = get("/info");
    ASSERT_TRUE(away.has_error());
    EXPECT_EQ(away.error().code, errc::runtime_unavailable);
    EXPECT_THAT(away.error().detail, AllOf(HasSubstr(there.address()), HasSubstr("cannot connect")));
    EXPECT_EQ(get("/info").error().code, errc::runtime_unavailable);
    there.come_up();
    EXPECT_TRUE(get("/info").has_value());
    EXPECT_EQ(asked("GET", "/version"), 2u);
}

TEST_F(Engine, ARestartBetweenTwoCallsIsNotNoticed)
{
    there.on("GET", "/info").json(200, {});
    there.on("POST", "/containers/x/start").empty(204);
    ASSERT_TRUE(get("/info").has_value());
    there.go_down();
    there.come_up();
    settle();
    EXPECT_TRUE(get("/info").has_value());
    there.go_down();
    there.come_up();
    settle();
    EXPECT_TRUE(post("/containers/x/start").has_value());
    EXPECT_EQ(asked("POST", "/containers/x/start"), 1u);
}

TEST_F(Engine, WhatIsIdempotentIsSentAgainOnADeadConnection)
{
    for (const auto* method : {"GET", "DELETE"}) {
        there.on("GET", "/info").json(200, {});
        ASSERT_TRUE(get("/info").has_value());
        there.on(method, "/x").cut();
        there.on(method, "/x").json(200, {});
        EXPECT_TRUE(run(on.call(method, "/x", soon())).has_value()) << method;
        EXPECT_EQ(asked(method, "/x"), 2u) << method;
    }
}

TEST_F(Engine, WhatIsNotIdempotentIsSentOnce)
{
    there.on("GET", "/info").json(200, {});
    ASSERT_TRUE(get("/info").has_value());
    there.on("POST", "/x").cut();
    there.on("POST", "/x").json(200, {});
    const auto got = post("/x");
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
    EXPECT_EQ(asked("POST", "/x"), 1u);
}

TEST_F(Engine, IsNotWaitedForWithoutEnd)
{
    there.on("GET", "/info");
    const auto got = begin(on.call("GET", "/info", time.steady_now() + 10s));
    settle();
    EXPECT_FALSE(got->done());
    time.advance(10s);
    EXPECT_EQ(end(*got).error().code, errc::timed_out);
    settle();
    EXPECT_EQ(there.connections(), 0u) << "the connection is given up";
}

TEST_F(Engine, AnAnswerThatDribblesHasTheSameDeadline)
{
    auto& answer = there.on("GET", "/info").stream();
    const auto got = begin(on.call("GET", "/info", time.steady_now() + 10s));
    for (int i = 0; i < 9; ++i) {
        answer.chunk(" ");
        settle();
        time.advance(1s);
    }
    settle();
    EXPECT_FALSE(got->done());
    time.advance(1s);
    EXPECT_EQ(end(*got).error().code, errc::timed_out);
}

struct fault_case {
    std::string_view name;
    void (*answer)(script&);
    errc code;
    std::string_view detail;
};
class EngineFault : public Engine, public ::testing::WithParamInterface<fault_case> { };
TEST_P(EngineFault, IsTold)
{
    const auto& c = GetParam();
    c.answer(there.on("POST", "/x"));
    const auto got = post("/x");
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, c.code);
    EXPECT_THAT(got.error().detail, HasSubstr(c.detail));
    there.on("GET", "/info").json(200, {});
    EXPECT_TRUE(get("/info").has_value()) << "the next call is not disturbed";
}
INSTANTIATE_TEST_SUITE_P(All, EngineFault,
    ::testing::Values(
        fault_case{"message", [](script& s) { s.fails(500, "disk full"); }, errc::runtime_unavailable, "the Docker engine says: disk full"},
        fault_case{"missing", [](script& s) { s.fails(404, "No such container: x"); }, errc::not_found, "No such container: x"},
        fault_case{"conflict", [](script& s) { s.fails(409, "name in use"); }, errc::conflict, "name in use"},
        fault_case{"bad", [](script& s) { s.fails(400, "no such runtime"); }, errc::bad_request, "no such runtime"},
        fault_case{"forbidden", [](script& s) { s.fails(403, "by a plugin"); }, errc::forbidden, "by a plugin"},
        fault_case{"redirect", [](script& s) { s.whole(301, {{"Location", "/y"}}, ""); }, errc::runtime_unavailable, "301"},
        fault_case{"garbage", [](script& s) { s.raw("SSH-2.0-OpenSSH_9.2\r\n\r\n").cut(); }, errc::runtime_unavailable, "status line"},
        fault_case{"binary", [](script& s) { s.raw(std::string(100'000, '\0')).cut(); }, errc::runtime_unavailable, "cannot be used"},
        fault_case{"closed", [](script& s) { s.cut(); }, errc::runtime_unavailable, "before the answer was complete"},
        fault_case{"cut_head", [](script& s) { s.raw("HTTP/1.1 200 OK\r\nCont").cut(); }, errc::runtime_unavailable,
            "before the answer was complete"},
        fault_case{"cut_body", [](script& s) { s.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").cut(); }, errc::runtime_unavailable,
            "before the answer"},
        fault_case{
            "cut_chunks", [](script& s) { s.stream().chunk("{").cut(); }, errc::runtime_unavailable, "before the answer was complete"},
        fault_case{"no_chunk", [](script& s) { s.stream().raw("zz\r\n").cut(); }, errc::runtime_unavailable, "cannot be used"},
        fault_case{"no_json", [](script& s) { s.whole(200, {}, "<html>"); }, errc::runtime_unavailable, "no JSON"},
        fault_case{"half_json", [](script& s) { s.whole(200, {}, "{\"a\":"); }, errc::runtime_unavailable, "no JSON"},
        fault_case{"deep_json", [](script& s) { s.whole(200, {}, std::string(1000, '[') + std::string(1000, ']')); },
            errc::runtime_unavailable, "no JSON"},
        fault_case{"huge", [](script& s) { s.raw("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n").cut(); }, errc::runtime_unavailable,
            "16777216 bytes"},
        fault_case{"endless",
            [](script& s) {
                s.stream();
                for (int i = 0; i < 18; ++i)
                    s.chunk(std::string(1'000'000, ' '));
            },
            errc::runtime_unavailable, "16777216 bytes"},
        fault_case{"huge_head", [](script& s) { s.raw("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'a')).cut(); },
            errc::runtime_unavailable, "65536 bytes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Engine, AnswersWithoutABodyAreNull)
{
    there.on("POST", "/a").empty(204);
    there.on("POST", "/b").empty(304);
    there.on("POST", "/c").whole(200, {}, "");
    for (const auto* target : {"/a", "/b", "/c"})
        EXPECT_TRUE(post(target)->is_null()) << target;
}

TEST_F(Engine, TellsOfItself)
{
    there.on("GET", "/info").json(200, {{"MemTotal", 5}, {"CgroupVersion", "2"}, {"Runtimes", {{"runc", boost::json::object()}}}});
    const auto got = run(on.info(soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->version, "20.10.24");
    EXPECT_EQ(got->api_version, "1.41");
    EXPECT_EQ(got->architecture, "amd64");
    EXPECT_THAT(got->runtimes, ::testing::ElementsAre("runc"));
}

TEST(Escaped, IsOnePieceOfATarget) { EXPECT_EQ(escaped("a/b c?&"), "a%2Fb%20c%3F%26"); }

}    // namespace
}    // namespace caisson::docker
