#include "adapters/engine/containers.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson::docker {
namespace {

namespace json = boost::json;

const json::value running = json::parse(R"({"Id":"c1","Name":"/n","Image":"sha256:a","Config":{"Image":"i","Labels":null},
    "State":{"Status":"running","Pid":7,"ExitCode":0,"OOMKilled":false,"Error":""}})");

class Containers : public imposter_test {
protected:
    containers all{on};
};

TEST_F(Containers, AreCreatedByNameWithTheWholeSpec)
{
    there.on("POST", "/containers/create").json(201, {{"Id", "c1"}, {"Warnings", json::array()}});
    container_spec spec;
    spec.name = "caisson-a b";
    spec.image = "busybox:1";
    EXPECT_EQ(run(all.create(spec, soon())).value().id, "c1");
    const auto seen = there.requests("POST", "/containers/create").at(0);
    EXPECT_EQ(seen.query_value("name"), "caisson-a b");
    EXPECT_EQ(json::parse(seen.body), json::value(to_json(spec)));
    EXPECT_EQ(seen.fields.find("Content-Type"), "application/json");
}

TEST_F(Containers, AreCreatedWithWarnings)
{
    there.on("POST", "/containers/create").json(201, {{"Id", "c1"}, {"Warnings", {"no swap", "no pids"}}});
    there.on("POST", "/containers/create").json(201, {{"Id", "c2"}, {"Warnings", nullptr}});
    EXPECT_EQ(run(all.create({}, soon())).value().warnings, (std::vector<std::string>{"no swap", "no pids"}));
    EXPECT_TRUE(run(all.create({}, soon())).value().warnings.empty());
}

TEST_F(Containers, PassOnWhatTheEngineSaysOfACreate)
{
    there.on("POST", "/containers/create").fails(409, "Conflict. The container name \"/x\" is already in use by container \"31\".");
    there.on("POST", "/containers/create").fails(404, "No such image: nosuch:test");
    there.on("POST", "/containers/create").fails(400, "invalid mount config for type \"bind\": bind source path does not exist: /x");
    const std::pair<errc, std::string_view> wants[] = {
        {errc::conflict, "already in use"}, {errc::not_found, "nosuch:test"}, {errc::bad_request, "does not exist: /x"}};
    for (const auto& [code, words] : wants) {
        const auto got = run(all.create({}, soon()));
        ASSERT_TRUE(got.has_error());
        EXPECT_EQ(got.error().code, code) << got.error().detail;
        EXPECT_NE(got.error().detail.find(words), std::string::npos) << got.error().detail;
    }
}

/// What a request without a value of its own comes to, by the engine's answer.
struct answer_case {
    std::string_view name;
    std::string_view verb;    // of the container
    int status;
    std::string_view message;
    std::optional<errc> want;    // none: it is done
};
class ContainerVerb : public Containers, public ::testing::WithParamInterface<answer_case> {
protected:
    task<result<void>> call(std::string_view verb)
    {
        if (verb == "start")
            return all.start("c1", soon());
        if (verb == "kill")
            return all.kill("c1", "", soon());
        if (verb == "pause")
            return all.pause("c1", soon());
        return verb == "unpause" ? all.unpause("c1", soon()) : all.remove("c1", soon());
    }
};
TEST_P(ContainerVerb, EndsAsTheEngineSays)
{
    const auto& c = GetParam();
    const bool removes = c.verb == "remove";
    auto& answer = there.on(removes ? "DELETE" : "POST", removes ? "/containers/c1" : "/containers/c1/" + std::string(c.verb));
    if (c.message.empty())
        answer.empty(c.status);
    else
        answer.fails(c.status, c.message);
    const auto got = run(call(c.verb));
    if (!c.want) {
        EXPECT_TRUE(got.has_value()) << got.error().detail;
        return;
    }
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, *c.want) << got.error().detail;
    EXPECT_NE(got.error().detail.find(c.message), std::string::npos) << got.error().detail;
}
INSTANTIATE_TEST_SUITE_P(Cases, ContainerVerb,
    ::testing::Values(answer_case{"start", "start", 204, "", std::nullopt}, answer_case{"start_again", "start", 304, "", std::nullopt},
        answer_case{"start_nothing", "start", 404, "No such container: c1", errc::not_found},
        answer_case{
            "start_without_program", "start", 400, "OCI runtime create failed: exec: \"/x\": stat /x: no such file", errc::bad_request},
        answer_case{
            "start_by_broken_runtime", "start", 500, "OCI runtime create failed: container_linux.go:380", errc::runtime_unavailable},
        answer_case{"kill", "kill", 204, "", std::nullopt},
        answer_case{"kill_what_ended", "kill", 409, "Cannot kill container: c1: Container c1 is not running", std::nullopt},
        answer_case{"kill_nothing", "kill", 404, "No such container: c1", errc::not_found},
        answer_case{"kill_in_conflict", "kill", 409, "Container c1 is restarting", errc::conflict},
        answer_case{"pause", "pause", 204, "", std::nullopt},
        answer_case{"pause_again", "pause", 409, "Container c1 is already paused", errc::conflict},
        answer_case{"pause_what_ended", "pause", 409, "Container c1 is not running", errc::conflict},
        answer_case{"pause_as_containerd_knows", "pause", 500, "Cannot pause container c1: cannot pause a paused container: unknown",
            errc::conflict},
        answer_case{"unpause", "unpause", 204, "", std::nullopt},
        answer_case{"unpause_what_runs", "unpause", 500, "Container c1 is not paused", errc::conflict},
        answer_case{"unpause_as_containerd_knows", "unpause", 500, "Cannot unpause container c1: cannot resume a running process: unknown",
            errc::conflict},
        answer_case{"unpause_as_runc_knows", "unpause", 500,
            "Cannot unpause container c1: OCI runtime resume failed: container not paused: unknown", errc::conflict},
        answer_case{"unpause_by_broken_engine", "unpause", 500, "cannot resume container c1", errc::runtime_unavailable},
        answer_case{"remove", "remove", 204, "", std::nullopt},
        answer_case{"remove_again", "remove", 404, "No such container: c1", std::nullopt},
        answer_case{"remove_in_conflict", "remove", 409, "You cannot remove a running container c1", errc::conflict},
        answer_case{"remove_busy", "remove", 500, "driver \"overlay2\" failed to remove root filesystem", errc::runtime_unavailable}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Containers, AreKilledByTheSignalThatIsNamed)
{
    there.on("POST", "/containers/c1/kill").empty(204);
    EXPECT_TRUE(run(all.kill("c1", "", soon())).has_value());
    EXPECT_TRUE(run(all.kill("c1", "SIGTERM", soon())).has_value());
    const auto seen = there.requests("POST", "/containers/c1/kill");
    EXPECT_EQ(seen.at(0).query_value("signal"), "SIGKILL");
    EXPECT_EQ(seen.at(1).query_value("signal"), "SIGTERM");
}

TEST_F(Containers, AreRemovedThoughTheyEndMeanwhile)
{
    there.on("DELETE", "/containers/c1").fails(409, "Could not kill running container c1, cannot remove - Container c1 is not running");
    there.on("DELETE", "/containers/c1").empty(204);
    auto& noticed = there.on("POST", "/containers/c1/wait");
    auto removing = begin(all.remove("c1", soon()));
    run(there.until_requests("POST", "/containers/c1/wait", 1));
    settle();
    EXPECT_FALSE(removing->done()) << "the engine has not noticed yet";
    noticed.json(200, {{"StatusCode", 137}});
    EXPECT_TRUE(end(*removing).has_value());
    EXPECT_EQ(there.requests("POST", "/containers/c1/wait").at(0).query_value("condition"), "not-running");
    EXPECT_EQ(there.requests("DELETE", "/containers/c1").size(), 2u);
}

constexpr std::string_view under_way = "removal of container c1 is already in progress";

TEST_F(Containers, AreGoneWhenSomebodyElseRemovedThem)
{
    there.on("DELETE", "/containers/c1").fails(409, under_way);
    there.on("DELETE", "/containers/c1").fails(404, "No such container: c1");
    auto& gone = there.on("POST", "/containers/c1/wait");
    auto removing = begin(all.remove("c1", soon()));
    run(there.until_requests("POST", "/containers/c1/wait", 1));
    settle();
    EXPECT_FALSE(removing->done());
    gone.json(200, {{"StatusCode", 0}});
    EXPECT_TRUE(end(*removing).has_value());
    EXPECT_EQ(there.requests("POST", "/containers/c1/wait").at(0).query_value("condition"), "removed");
    const auto deletes = there.requests("DELETE", "/containers/c1");
    ASSERT_EQ(deletes.size(), 2u);
    EXPECT_EQ(deletes.at(0).query_value("force"), "true");
    EXPECT_EQ(deletes.at(0).query_value("v"), "true");
}

TEST_F(Containers, AreGoneBeforeTheWaitForItBegins)
{
    there.on("DELETE", "/containers/c1").fails(409, under_way);
    there.on("DELETE", "/containers/c1").fails(404, "No such container: c1");
    there.on("POST", "/containers/c1/wait").fails(404, "No such container: c1");
    EXPECT_TRUE(run(all.remove("c1", soon())).has_value());
}

TEST_F(Containers, ARemovalByOthersIsWaitedForUntilTheDeadline)
{
    there.on("DELETE", "/containers/c1").fails(409, under_way);
    there.on("POST", "/containers/c1/wait");
    auto removing = begin(all.remove("c1", soon()));
    run(there.until_requests("POST", "/containers/c1/wait", 1));
    time.advance(30s);
    const auto& got = end(*removing);
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::timed_out);
}

TEST_F(Containers, ARemovalThatNeverEndsIsGivenUp)
{
    there.on("DELETE", "/containers/c1").fails(409, under_way);
    there.on("POST", "/containers/c1/wait").json(200, {{"StatusCode", 0}});
    const auto got = run(all.remove("c1", soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::conflict);
    EXPECT_EQ(there.requests("DELETE", "/containers/c1").size(), 10u);
}

TEST_F(Containers, AreInspectedByNamesThatNeedEscaping)
{
    there.on("GET", "/containers/a%2Fb%20c/json").json(200, running);
    const auto got = run(all.inspect("a/b c", soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->state, container_state::running);
    EXPECT_EQ(got->pid, 7);
}

TEST_F(Containers, AreListedByLabels)
{
    there.on("GET", "/containers/json").json(200, json::parse(R"([{"Id":"1","Names":["/a"],"State":"running","Labels":{"x":"y"}},
        {"Id":"2","Names":["/b"],"State":"exited","Labels":null}])"));
    const auto got = run(all.list({"caisson.instance=i 1", "x"}, soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    ASSERT_EQ(got->size(), 2u);
    EXPECT_EQ(got->at(1).name, "b");
    const auto seen = there.requests("GET", "/containers/json").at(0);
    EXPECT_EQ(seen.query_value("all"), "true");
    EXPECT_EQ(seen.query_value("filters"), R"({"label":["caisson.instance=i 1","x"]})");
}

TEST_F(Containers, EndWithTheirExitStatus)
{
    auto& answer = there.on("POST", "/containers/c1/wait").stream();
    auto waiting = begin(all.wait("c1"));
    run(there.until_requests("POST", "/containers/c1/wait", 1));
    settle();
    time.advance(24h);
    settle();
    EXPECT_FALSE(waiting->done()) << "what runs long is no fault";
    answer.chunk("{\"StatusCode\"").chunk(":137}\n").end();
    EXPECT_EQ(end(*waiting).value(), 137);
}

TEST_F(Containers, AWaitThatTheEngineBreaksOffIsAnError)
{
    there.on("POST", "/containers/c1/wait").stream().cut();
    const auto got = run(all.wait("c1"));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
}

TEST_F(Containers, AWaitCanBeCancelled)
{
    there.on("POST", "/containers/c1/wait").stream();
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto work = all.wait("c1");
    asio::co_spawn(context, std::move(work),
        asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr e, result<std::int64_t>) { failure = e; }));
    run(there.until_requests("POST", "/containers/c1/wait", 1));
    settle();
    cancel.emit(asio::cancellation_type::terminal);
    settle();
    EXPECT_TRUE(failure);
    EXPECT_EQ(there.connections(), 0u) << "so that the engine waits no more";
}

TEST_F(Containers, TellWhatTheyUse)
{
    there.on("GET", "/containers/c1/stats").json(200, json::parse(R"({"read":"2026-11-22T07:08:08Z","pids_stats":{"current":2}})"));
    EXPECT_EQ(run(all.stats("c1", soon())).value().pids, 2);
    const auto seen = there.requests("GET", "/containers/c1/stats").at(0);
    EXPECT_EQ(seen.query_value("stream"), "false");
    EXPECT_EQ(seen.query_value("one-shot"), "true");
}

TEST_F(Containers, TakeAnArchive)
{
    there.on("PUT", "/containers/c1/archive").empty(200);
    const std::string tar(3'000'000, 't');
    ASSERT_TRUE(run(all.put_archive("c1", "/a b", tar, soon())).has_value());
    const auto seen = there.requests("PUT", "/containers/c1/archive").at(0);
    EXPECT_EQ(seen.query_value("path"), "/a b");
    EXPECT_EQ(seen.fields.find("Content-Type"), "application/x-tar");
    EXPECT_EQ(seen.body, tar);
}

TEST_F(Containers, RefuseAnArchive)
{
    there.on("PUT", "/containers/c1/archive").fails(403, "container rootfs is marked read-only");
    const auto got = run(all.put_archive("c1", "/", "tar", soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::forbidden);
}

TEST_F(Containers, AnArchiveThatIsNotTakenEndsAtTheDeadline)
{
    there.on("PUT", "/containers/c1/archive");
    auto putting = begin(all.put_archive("c1", "/", std::string(5'000'000, 't'), soon()));
    run(there.until_requests("PUT", "/containers/c1/archive", 1));
    time.advance(30s);
    EXPECT_EQ(end(*putting).error().code, errc::timed_out);
}

TEST_F(Containers, GiveAnArchiveUpToABound)
{
    auto& answer = there.on("GET", "/containers/c1/archive").stream(200, {{"Content-Type", "application/x-tar"}});
    answer.chunk(std::string(1000, 'a')).chunk(std::string(1000, 'b')).end();
    EXPECT_EQ(run(all.get_archive("c1", "/x", 2000, soon())).value().size(), 2000u);
    const auto got = run(all.get_archive("c1", "/x", 1999, soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::too_large);
}

TEST_F(Containers, AnArchiveThatStopsEndsAtTheDeadline)
{
    there.on("GET", "/containers/c1/archive").stream().chunk("some");
    auto getting = begin(all.get_archive("c1", "/x", 2000, soon()));
    run(there.until_requests("GET", "/containers/c1/archive", 1));
    settle();
    time.advance(30s);
    EXPECT_EQ(end(*getting).error().code, errc::timed_out);
}

struct fault_case {
    std::string_view name;
    std::function<void(caisson::testing::script&)> answer;
    errc want;
};
class ContainerFault : public Containers, public ::testing::WithParamInterface<fault_case> { };
TEST_P(ContainerFault, OfTheEngineIsNamed)
{
    GetParam().answer(there.on("GET", "/containers/c1/json"));
    const auto got = run(all.inspect("c1", soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, GetParam().want) << got.error().detail;
    EXPECT_FALSE(got.error().detail.empty());
    EXPECT_LT(got.error().detail.size(), 2'000u);
    there.forget("GET", "/containers/c1/json");
    there.on("GET", "/containers/c1/json").json(200, running);
    EXPECT_TRUE(run(all.inspect("c1", soon())).has_value()) << "the next request is not harmed by it";
}
INSTANTIATE_TEST_SUITE_P(Cases, ContainerFault,
    ::testing::Values(fault_case{"server_error", [](auto& to) { to.fails(500, "boom"); }, errc::runtime_unavailable},
        fault_case{"error_without_words", [](auto& to) { to.empty(503); }, errc::runtime_unavailable},
        fault_case{"huge_error", [](auto& to) { to.fails(500, std::string(1 << 20, 'x')); }, errc::runtime_unavailable},
        fault_case{"no_json", [](auto& to) { to.whole(200, {}, "<html>hello</html>"); }, errc::runtime_unavailable},
        fault_case{"half_json", [](auto& to) { to.whole(200, {}, R"({"Id":"c1",)"); }, errc::runtime_unavailable},
        fault_case{"other_json", [](auto& to) { to.json(200, {{"Hello", "World"}}); }, errc::runtime_unavailable},
        fault_case{"array", [](auto& to) { to.json(200, json::array{1, 2}); }, errc::runtime_unavailable},
        fault_case{"nothing", [](auto& to) { to.empty(204); }, errc::runtime_unavailable},
        fault_case{"deep_json", [](auto& to) { to.whole(200, {}, std::string(100'000, '[')); }, errc::runtime_unavailable},
        fault_case{"no_http", [](auto& to) { to.raw("220 smtp.example ESMTP\r\n").cut(); }, errc::runtime_unavailable},
        fault_case{"closed", [](auto& to) { to.cut(); }, errc::runtime_unavailable},
        fault_case{"closed_in_the_body", [](auto& to) { to.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{").cut(); },
            errc::runtime_unavailable},
        fault_case{
            "endless", [](auto& to) { to.raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"); }, errc::runtime_unavailable}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Containers, ASlowEngineIsATimeout)
{
    auto& answer = there.on("GET", "/containers/c1/json");
    auto looking = begin(all.inspect("c1", soon()));
    run(there.until_requests("GET", "/containers/c1/json", 1));
    time.advance(29s);
    settle();
    EXPECT_FALSE(looking->done());
    time.advance(1s);
    EXPECT_EQ(end(*looking).error().code, errc::timed_out);
    answer.json(200, running);
    EXPECT_TRUE(run(all.inspect("c1", soon())).has_value());
}

TEST_F(Containers, AnEngineThatIsAwayIsUnavailableUntilItIsBack)
{
    there.on("GET", "/containers/c1/json").json(200, running);
    EXPECT_TRUE(run(all.inspect("c1", soon())).has_value());
    there.go_down();
    EXPECT_EQ(run(all.inspect("c1", soon())).error().code, errc::runtime_unavailable);
    there.come_up();
    EXPECT_TRUE(run(all.inspect("c1", soon())).has_value());
}

}    // namespace
}    // namespace caisson::docker
