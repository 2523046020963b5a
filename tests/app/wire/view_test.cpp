#include "tests/app/wire/wire_fixture.hpp"

#include "app/wire/error_view.hpp"
#include "app/wire/execution_view.hpp"
#include "app/wire/openapi.hpp"
#include "app/wire/service_view.hpp"
#include "app/wire/status.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace caisson::wire {

namespace json = boost::json;

namespace {

execution_row queued_row()
{
    execution_row row;
    row.id = *execution_id::parse("exe_01jd2c00000000000000000000");
    row.tenant = *tenant_id::parse("ten_01jd2c00000000000000000000");
    row.runtime = "bubblewrap";
    row.created_at_ms = 1'700'000'000'000;
    return row;
}

execution_row ended_row()
{
    auto row = queued_row();
    row.kind = execution_kind::code;
    row.language = "python";
    row.status = execution_status::failed;
    row.verdict = verdict::memory_limit;
    row.limits_hit = {limit_kind::memory, limit_kind::output};
    row.exit_code = 1;
    row.signal = 9;
    row.error = "It needed more than memory_bytes.";
    row.degraded = {"disk"};
    row.labels = {{"team", "x"}};
    row.usage = {1, 2, 3, 4, 5};
    row.stages = {0.5, 1.25, 2, 3, 4, 5, 6, "warm"};
    row.stdout_truncated = true;
    row.started_at_ms = row.created_at_ms + 1;
    row.finished_at_ms = row.created_at_ms + 2;
    row.duration_ms = 2;
    row.attempts = {{1, 5, 6, attempt_fault::program, "It failed.", verdict::exited, 1, 9, std::nullopt, 7, 8, 9}};
    return row;
}

/// A skill's, with all that only skills have.
execution_row skill_row()
{
    auto row = ended_row();
    row.kind = execution_kind::skill;
    row.language.clear();
    row.skill_name = "s";
    row.skill_version = "1.0.0";
    row.skill_digest = std::string(64, 'a');
    row.image = "bash:5";
    row.image_digest = "sha256:0123";
    row.fallback_from = "docker";
    row.interpreter = "/usr/bin/bash";
    row.collected = collect_summary();
    return row;
}

const files_view some_files{"http://localhost/files", 1, {"a"}};
const execution_payload some_payload{shared_bytes("{}"), shared_bytes("[1]"), 2, 3};
const execution_payload long_payload{{}, {}, 1 << 24, 1 << 24};
const webhook_status some_webhook{.url = "https://localhost/"};

json::value openapi() { return json::parse(openapi_json()); }

/// Names of the properties that the contract gives a schema.
const json::object& properties_of(const json::value& document, std::string_view schema)
{
    return document.at("components").at("schemas").at(schema).at("properties").as_object();
}

void expect_described(const json::object& view, const json::object& properties)
{
    for (const auto& member : view)
        EXPECT_TRUE(properties.contains(member.key())) << member.key();
}

void expect_required(const json::object& view, const json::value& schema)
{
    for (const auto& name : schema.at("required").as_array())
        EXPECT_TRUE(view.contains(name.as_string())) << name;
}

TEST(ExecutionView, OfAQueuedOne)
{
    EXPECT_EQ(execution_json(queued_row()),
        R"({"execution_id":"exe_01jd2c00000000000000000000","kind":"command","status":"queued","limits_hit":[],)"
        R"("stdout_truncated":false,"stderr_truncated":false,"error":null,"usage":{"output_bytes":0},"stages":{},)"
        R"("limits":{"wall_ms":30000,"cpu_ms":0,"memory_bytes":536870912,"pids":128,"disk_bytes":268435456,"inodes":16384,)"
        R"("file_bytes":0,"open_files":1024,"stack_bytes":8388608,"max_output_bytes":16777216,"cpus":0.5},)"
        R"("tenant_id":"ten_01jd2c00000000000000000000","labels":{},"runtime":"bubblewrap","degraded":[],)"
        R"("created_at":"2023-11-14T22:13:20.000Z"})");
}

TEST(ExecutionView, OfOneThatEnded)
{
    inline_texts texts;
    texts.stdout_text = {"out", false, true};
    texts.stderr_text = {"err", true, false};
    texts.logs = {"outerr", true, true};
    const auto view = json::parse(execution_json(ended_row(), {.texts = &texts})).as_object();
    EXPECT_EQ(view.at("verdict").as_string(), "memory_limit");
    EXPECT_EQ(view.at("limits_hit"), (json::array{"memory", "output"}));
    EXPECT_EQ(view.at("exit_code").as_int64(), 1);
    EXPECT_EQ(view.at("signal").as_int64(), 9);
    EXPECT_EQ(view.at("stdout").as_string(), "out");
    EXPECT_EQ(view.at("stderr").as_string(), "err");
    EXPECT_EQ(view.at("logs").as_string(), "outerr");
    EXPECT_TRUE(view.at("stdout_truncated").as_bool());
    EXPECT_TRUE(view.at("stderr_truncated").as_bool());
    EXPECT_TRUE(view.at("stdout_lossy").as_bool());
    EXPECT_FALSE(view.at("stderr_lossy").as_bool());
    EXPECT_EQ(view.at("error").as_string(), "It needed more than memory_bytes.");
    EXPECT_EQ(view.at("degraded"), (json::array{"disk"}));
    EXPECT_EQ(view.at("labels"), (json::object{{"team", "x"}}));
    EXPECT_EQ(view.at("finished_at").as_string(), "2023-11-14T22:13:20.002Z");
    EXPECT_EQ(view.at("duration_ms").as_int64(), 2);
}

TEST(ExecutionView, StagesAreWrittenWithoutExponent)
{
    EXPECT_NE(execution_json(ended_row()).find(R"("stages":{"queue_ms":0.5,"claim_ms":1.25,"start_ms":2,)"), std::string::npos);
}

TEST(ExecutionView, WithoutOutputTheFlagsSpeakOfTheLog)
{
    const auto view = json::parse(execution_json(ended_row())).as_object();
    EXPECT_TRUE(view.at("stdout_truncated").as_bool());
    EXPECT_FALSE(view.at("stderr_truncated").as_bool());
    for (auto name : {"stdout", "stderr", "logs", "stdout_lossy", "stderr_lossy"})
        EXPECT_FALSE(view.contains(name)) << name;
}

TEST(ExecutionView, IsWhatTheContractSays)
{
    const inline_texts texts;
    const auto document = openapi();
    const auto& schema = document.at("components").at("schemas").at("Execution");
    auto compiled = ended_row();
    compiled.compile = compile_report{execution_status::failed, verdict::exited, 1, 9, "x", true, 2, 3, true, 4};
    const auto view = json::parse(execution_json(compiled, {.texts = &texts})).as_object();
    expect_described(view, properties_of(document, "Execution"));
    auto waiting = queued_row();
    waiting.queue_position = 3;
    waiting.waits_for = "the runtime";
    waiting.next_attempt_at_ms = 5;
    waiting.checkpoint = checkpoint_note{thread_name("t"), checkpoint_id::from_trusted("c"), "why"};
    const auto queued = json::parse(execution_json(waiting, {.texts = &texts})).as_object();
    expect_described(queued, properties_of(document, "Execution"));
    EXPECT_EQ(queued.at("queue_position").as_int64(), 3);
    EXPECT_EQ(queued.at("waits_for").as_string(), "the runtime");
    const auto skilled = json::parse(execution_json(skill_row(), {&texts, &some_files, &some_webhook, &some_payload})).as_object();
    expect_described(skilled, properties_of(document, "Execution"));
    const auto large = json::parse(execution_json(skill_row(), {.payload = &long_payload})).as_object();
    expect_described(large, properties_of(document, "Execution"));
    std::set<std::string> names;
    for (const auto* each : {&view, &queued, &skilled, &large})
        for (const auto& member : *each)
            names.emplace(member.key());
    EXPECT_EQ(names.size(), properties_of(document, "Execution").size());
    const auto& attempt = view.at("attempts").as_array().at(0).as_object();
    expect_described(attempt, properties_of(document, "Attempt"));
    EXPECT_EQ(attempt.size(), properties_of(document, "Attempt").size());
    const auto& report = view.at("compile").as_object();
    expect_described(report, properties_of(document, "CompileReport"));
    EXPECT_EQ(report.size(), properties_of(document, "CompileReport").size());
    expect_required(json::parse(execution_json(queued_row())).as_object(), schema);
    for (auto part : {"usage", "stages", "limits"}) {
        const auto name = std::string(1, static_cast<char>(part[0] - 'a' + 'A')) + (part + 1);
        expect_described(view.at(part).as_object(), properties_of(document, name));
        EXPECT_EQ(view.at(part).as_object().size(), properties_of(document, name).size()) << part;
    }
}

TEST(ExecutionList, HoldsItemsAndACursor)
{
    const auto row = queued_row();
    const auto other = ended_row();
    const inline_texts texts;
    const std::vector<execution_item> items{{&row, nullptr}, {&other, &texts}};
    const auto view = json::parse(execution_list_json(items, "abc")).as_object();
    EXPECT_EQ(view.at("items").as_array().size(), 2u);
    EXPECT_FALSE(view.at("items").at(0).as_object().contains("stdout"));
    EXPECT_TRUE(view.at("items").at(1).as_object().contains("stdout"));
    EXPECT_EQ(view.at("next_cursor").as_string(), "abc");
    EXPECT_EQ(execution_list_json({}, std::nullopt), R"({"items":[],"next_cursor":null})");
}

TEST(ErrorView, NamesFields)
{
    EXPECT_EQ(error_json({errc::not_found, "no such execution"}, "r1"),
        R"({"error":"not_found","message":"no such execution","request_id":"r1"})");
    EXPECT_EQ(error_json({errc::bad_request, "a must be b", {{"a", "must be \"b\""}, {"c.d", "x"}}}, "r2"),
        R"({"error":"bad_request","message":"a must be b","details":{"fields":[{"field":"a","message":"must be \"b\""},)"
        R"({"field":"c.d","message":"x"}]},"request_id":"r2"})");
    EXPECT_NO_THROW(json::parse(error_json({errc::internal, "\xff\n", {{"\xfe", std::string(1, '\0')}}}, "\x80")));
}

TEST(ErrorView, HasTheNumbersOfAFullQueue)
{
    error full{errc::queue_full, "full"};
    full.facts = limit_facts{"executions.max_queued", "server", 10, 4, 10, 7};
    EXPECT_EQ(error_json(full, "r"),
        R"({"error":"queue_full","message":"full","details":{"limit":"executions.max_queued","scope":"server",)"
        R"("value":10,"running":4,"waiting":10,"retry_after_s":7},"request_id":"r"})");
}

TEST(ErrorView, CountsExecutionsOnlyOfTheirOwnLimits)
{
    error full{errc::quota_exceeded, "full"};
    full.facts = limit_facts{"threads.max_bytes_per_tenant", "tenant", 10, 0, 0, 60};
    EXPECT_EQ(error_json(full, "r"),
        R"({"error":"quota_exceeded","message":"full","details":{"limit":"threads.max_bytes_per_tenant","scope":"tenant",)"
        R"("value":10,"retry_after_s":60},"request_id":"r"})");
}

struct status_case {
    errc code;
    unsigned want;
};
class Status : public ::testing::TestWithParam<status_case> { };
TEST_P(Status, IsThatOfTheTable) { EXPECT_EQ(http_status(GetParam().code), GetParam().want) << slug(GetParam().code); }
INSTANTIATE_TEST_SUITE_P(Cases, Status,
    ::testing::Values(status_case{errc::internal, 500}, status_case{errc::bad_request, 400}, status_case{errc::unauthorized, 401},
        status_case{errc::forbidden, 403}, status_case{errc::not_found, 404}, status_case{errc::method_not_allowed, 405},
        status_case{errc::conflict, 409}, status_case{errc::gone, 410}, status_case{errc::too_large, 413},
        status_case{errc::unsupported_media_type, 415}, status_case{errc::unprocessable, 422}, status_case{errc::invalid_skill, 400},
        status_case{errc::image_not_allowed, 400}, status_case{errc::image_unavailable, 503}, status_case{errc::rate_limited, 429},
        status_case{errc::quota_exceeded, 429}, status_case{errc::queue_full, 429}, status_case{errc::not_implemented, 501},
        status_case{errc::runtime_unavailable, 503}),
    [](const auto& info) { return std::string(slug(info.param.code)); });

TEST(ErrorSlugs, AreAllInTheContract)
{
    const auto document = openapi();
    const auto& slugs = document.at("components").at("schemas").at("ErrorSlug").at("enum").as_array();
    for (int i = 0; i <= static_cast<int>(errc::cancelled); ++i)
        EXPECT_THAT(slugs, ::testing::Contains(json::value(slug(static_cast<errc>(i))))) << slug(static_cast<errc>(i));
    EXPECT_EQ(slugs.size(), static_cast<std::size_t>(errc::cancelled) + 1);
}

TEST(LanguagesView, ShowsWhatIsInstalled)
{
    const wire_fixture server;
    const auto view = json::parse(languages_json(server.languages)).as_object();
    ASSERT_EQ(view.at("items").as_array().size(), known_languages().size());
    const auto& bash = view.at("items").at(1).as_object();
    EXPECT_EQ(bash, (json::object{{"name", "bash"}, {"aliases", {"sh", "shell"}}, {"file", "main.sh"}, {"available", true},
                        {"compiled", false}, {"interpreter", "/usr/bin/bash"}}));
    const auto& c = view.at("items").at(2).as_object();
    EXPECT_EQ(c, (json::object{{"name", "c"}, {"aliases", json::array()}, {"file", "main.c"}, {"available", false}, {"compiled", true},
                     {"package", "gcc"}}));
}

TEST(LanguagesView, ShowsWhatCompiles)
{
    const language_catalog all([](std::string_view name) { return "/usr/bin/" + std::string(name); });
    const auto view = json::parse(languages_json(all)).as_object();
    const auto& c = view.at("items").at(2).as_object();
    EXPECT_EQ(c, (json::object{{"name", "c"}, {"aliases", json::array()}, {"file", "main.c"}, {"available", true}, {"compiled", true},
                     {"compiler", "/usr/bin/gcc"}}));
}

TEST(ExecutionView, ShowsHowTheCompilerEnded)
{
    auto row = ended_row();
    auto& report = row.compile.emplace();
    report.status = execution_status::failed;
    report.exit_code = 1;
    report.output = "main.c:1: \xff";
    report.cpu_ms = 2;
    report.wall_ms = 3;
    report.cpu_before_us = 4;
    const auto whole = json::parse(execution_json(row, {})).at("compile");
    EXPECT_EQ(whole, (json::object{{"status", "failed"}, {"verdict", "exited"}, {"exit_code", 1}, {"output", "main.c:1: \xEF\xBF\xBD"},
                         {"output_truncated", false}, {"cpu_ms", 2}, {"wall_ms", 3}, {"cached", false}}));
    const std::vector<execution_item> items{{&row, nullptr}};
    const auto listed = json::parse(execution_list_json(items, std::nullopt)).at("items").at(0).at("compile");
    EXPECT_FALSE(listed.as_object().contains("output"));
}

TEST(RuntimesView, ShowsWhatIsNotEnforced)
{
    runtime_capabilities runtime;
    runtime.name = "bubblewrap";
    runtime.available = true;
    runtime.isolates = true;
    runtime.enforces_disk = true;
    runtime.degraded = {{"memory", "no cgroup can be made", "run the server as root"}};
    runtime_capabilities missing;
    missing.name = "mock";
    missing.unavailable_reason = "Because.";
    const std::vector<runtime_item> runtimes{
        {&runtime, {circuit_breaker::state::open, 5, std::chrono::milliseconds(800)}, true, 3, 5}, {&missing}};
    EXPECT_EQ(runtimes_json(runtimes, "bubblewrap"),
        R"({"default":"bubblewrap","items":[{"name":"bubblewrap","available":true,"isolates":true,)"
        R"("enforces":{"memory":false,"pids":false,"cpu":false,"disk":true},"images":true,"ready_sandboxes":3,"prepared_sandboxes":5,"execution_usage":false,"pauses":false,)"
        R"("degraded":[{"control":"memory","reason":"no cgroup can be made","remedy":"run the server as root"}],)"
        R"("circuit":{"state":"open","faults":5,"retry_in_ms":800}},)"
        R"({"name":"mock","available":false,"reason":"Because.","isolates":false,)"
        R"("enforces":{"memory":false,"pids":false,"cpu":false,"disk":false},"images":false,"ready_sandboxes":0,"prepared_sandboxes":0,"execution_usage":false,"pauses":false,"degraded":[],)"
        R"("circuit":{"state":"closed","faults":0,"retry_in_ms":0}}]})");
}

TEST(RuntimesView, SaysWhyARuntimeIsLeftAlone)
{
    EXPECT_EQ(breaker_detail({}), "");
    EXPECT_EQ(breaker_detail({circuit_breaker::state::open, 5, std::chrono::milliseconds(1)}),
        "no sandbox could be made 5 times in a row; executions are tried again later, the server's log says why");
    EXPECT_NE(breaker_detail({circuit_breaker::state::half_open, 5, {}}), "");
}

TEST(ServiceViews, AreSmall)
{
    EXPECT_EQ(ticket_json("t", 0), R"({"ticket":"t","expires_at":"1970-01-01T00:00:00.000Z"})");
    EXPECT_EQ(health_json("0.1.0"), R"({"status":"ok","version":"0.1.0"})");
    const std::vector<dependency> fine{{"storage", true, ""}};
    EXPECT_EQ(ready_json(fine), R"({"status":"ready","dependencies":{"storage":{"ready":true}}})");
    const std::vector<dependency> broken{{"storage", true, ""}, {"runtime", false, "not probed yet"}};
    EXPECT_EQ(ready_json(broken),
        R"({"status":"not_ready","dependencies":{"storage":{"ready":true},"runtime":{"ready":false,"detail":"not probed yet"}}})");
}

}    // namespace

}    // namespace caisson::wire
