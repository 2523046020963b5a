#include "core/exec/types.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace caisson {

namespace json = boost::json;

namespace {

execution_limits some_limits()
{
    execution_limits out;
    out.wall_ms = 1'001;
    out.cpu_ms = 1'002;
    out.memory_bytes = 5'000'000'003;
    out.cpu_milli = 1'250;
    out.pids = 4;
    out.disk_bytes = 5;
    out.inodes = 6;
    out.file_bytes = 7;
    out.open_files = 8;
    out.stack_bytes = 10;
    out.max_output_bytes = 9;
    return out;
}

void expect_same(const execution_limits& a, const execution_limits& b)
{
    EXPECT_EQ(json::serialize(limits_to_json(a)), json::serialize(limits_to_json(b)));
    EXPECT_EQ(a.cpu_milli, b.cpu_milli);
    EXPECT_EQ(a.memory_bytes, b.memory_bytes);
    EXPECT_EQ(a.max_output_bytes, b.max_output_bytes);
}

execution_spec some_spec()
{
    execution_spec out;
    out.kind = execution_kind::code;
    out.language = "python";
    out.argv = {"/usr/bin/python3", "main.py", "", "ä", std::string("\xff", 1)};
    out.env = {{"A", "1"}, {"B", ""}};
    out.files = {{"main.py", shared_bytes("print(1)")}, {"data/ü.bin", shared_bytes(std::string("\x00\xff\x01", 3))}};
    out.cwd = "sub";
    out.stdin_data = shared_bytes(std::string("a\0b\x80", 4));
    out.stdin_open = true;
    out.pty = pty_size{132, 43};
    out.limits = some_limits();
    out.output_limit_action = on_output_limit::kill;
    out.runtime = "bubblewrap";
    out.labels = {{"team", "x"}};
    out.cancel_on_disconnect = true;
    out.skill = skill_run{"wc", "1.0.0", "abc", "python:3.12-slim", "/usr/bin/python3", "Count\n\xff.", "{}"};
    out.input = shared_bytes(std::string("\"\0\xff\"", 4));
    out.collect = {{"out/**", "\xfe*"}, "out/", "out/output.json", 1, 2, 3, 4, 5};
    out.retry = {7, 1'000, 1.5, 60'000, {attempt_fault::agent_lost}, {1, 75}};
    out.idempotent = true;
    out.webhook = webhook_spec{"https://example.org/hook", "s\xff"};
    out.checkpoint = checkpoint_order{
        thread_name("t"), checkpoint_id::from_trusted("c"), {-5, "n", {"a", "b"}, "{\"x\":1.0}"}, true, "{\"big\":9007199254740993}"};
    return out;
}

TEST(ExecutionNames, EachComesBackFromItsName)
{
    for (auto value : {execution_kind::command, execution_kind::shell, execution_kind::code, execution_kind::skill})
        EXPECT_EQ(execution_kind_from(to_string(value)), value);
    for (int i = 0; i <= static_cast<int>(execution_status::interrupted); ++i)
        EXPECT_EQ(execution_status_from(to_string(static_cast<execution_status>(i))), static_cast<execution_status>(i));
    for (int i = 0; i <= static_cast<int>(verdict::runtime_error); ++i)
        EXPECT_EQ(verdict_from(to_string(static_cast<verdict>(i))), static_cast<verdict>(i));
    for (int i = 0; i <= static_cast<int>(limit_kind::output); ++i)
        EXPECT_EQ(limit_kind_from(to_string(static_cast<limit_kind>(i))), static_cast<limit_kind>(i));
}

TEST(ExecutionNames, OthersAreNothing)
{
    EXPECT_FALSE(execution_kind_from("skills"));
    EXPECT_FALSE(execution_status_from(""));
    EXPECT_FALSE(verdict_from("Exited"));
    EXPECT_FALSE(limit_kind_from("memory "));
}

TEST(ExecutionStatus, OnlyQueuedAndRunningGoOn)
{
    EXPECT_FALSE(is_final(execution_status::queued));
    EXPECT_FALSE(is_final(execution_status::running));
    for (auto status : {execution_status::success, execution_status::failed, execution_status::timeout, execution_status::cancelled,
             execution_status::interrupted})
        EXPECT_TRUE(is_final(status)) << to_string(status);
}

TEST(Limits, ComeBackFromJson)
{
    const auto object = limits_to_json(some_limits());
    EXPECT_EQ(object.size(), 11u);
    EXPECT_EQ(object.at("cpus").as_double(), 1.25);
    expect_same(limits_from_json(json::parse(json::serialize(object)).as_object()), some_limits());
}

TEST(Limits, EveryThousandthOfACpuComesBack)
{
    execution_limits limits;
    for (limits.cpu_milli = 10; limits.cpu_milli <= 4'000; ++limits.cpu_milli)
        ASSERT_EQ(limits_from_json(json::parse(json::serialize(limits_to_json(limits))).as_object()).cpu_milli, limits.cpu_milli);
}

TEST(Limits, ForeignTextThrows)
{
    EXPECT_THROW(limits_from_json({}), std::exception);
    auto object = limits_to_json({});
    object["pids"] = "many";
    EXPECT_THROW(limits_from_json(object), std::exception);
}

TEST(Usage, OmitsWhatIsAbsent)
{
    execution_usage usage;
    usage.cpu_ms = 12;
    usage.output_bytes = 34;
    const auto object = usage_to_json(usage);
    EXPECT_EQ(json::serialize(object), R"({"cpu_ms":12,"output_bytes":34})");
    const auto back = usage_from_json(object);
    EXPECT_EQ(back.cpu_ms, 12);
    EXPECT_FALSE(back.memory_peak_bytes);
    EXPECT_EQ(back.output_bytes, 34);
}

TEST(Stages, KeepMicroseconds)
{
    execution_stages stages;
    stages.queue_ms = 0.1234567;
    stages.run_ms = 2'000;
    const auto object = stages_to_json(stages);
    EXPECT_EQ(object.size(), 2u);
    const auto back = stages_from_json(json::parse(json::serialize(object)).as_object());
    EXPECT_EQ(back.queue_ms, 0.123);
    EXPECT_EQ(back.run_ms, 2'000);
    EXPECT_FALSE(back.collect_ms);
}

TEST(Spec, ComesBackFromJson)
{
    const auto spec = some_spec();
    const auto back = spec_from_json(spec_to_json(spec));
    EXPECT_EQ(back.kind, spec.kind);
    EXPECT_EQ(back.language, spec.language);
    EXPECT_EQ(back.argv, spec.argv);
    EXPECT_EQ(back.env, spec.env);
    ASSERT_EQ(back.files.size(), 2u);
    EXPECT_EQ(back.files[1].path, spec.files[1].path);
    EXPECT_EQ(back.files[1].content, spec.files[1].content);
    EXPECT_EQ(back.cwd, spec.cwd);
    EXPECT_EQ(back.stdin_data, spec.stdin_data);
    EXPECT_TRUE(back.stdin_open);
    ASSERT_TRUE(back.pty);
    EXPECT_EQ(back.pty->cols, 132);
    EXPECT_EQ(back.pty->rows, 43);
    expect_same(back.limits, spec.limits);
    EXPECT_EQ(back.output_limit_action, spec.output_limit_action);
    EXPECT_EQ(back.runtime, spec.runtime);
    EXPECT_EQ(back.labels, spec.labels);
    EXPECT_TRUE(back.cancel_on_disconnect);
    EXPECT_EQ(back.skill, spec.skill);
    EXPECT_EQ(back.input, spec.input);
    EXPECT_EQ(back.collect, spec.collect);
    EXPECT_EQ(back.retry, spec.retry);
    EXPECT_TRUE(back.idempotent);
    EXPECT_EQ(back.webhook, spec.webhook);
    EXPECT_EQ(back.checkpoint, spec.checkpoint);
}

TEST(Spec, ComesBackWithItsCompileStep)
{
    execution_spec spec;
    auto& step = spec.compile.emplace();
    step.argv = {"gcc", "ö \xff.c"};
    step.host_argv = {"/usr/bin/gcc"};
    step.directory = "a/ö";
    step.env = {{"A", "{work}/a"}};
    step.files = {{".caisson/x", shared_bytes(std::string("\0\xfe", 2))}};
    step.limits = {1, 2, 3};
    const auto back = spec_from_json(spec_to_json(spec)).compile.value();
    EXPECT_EQ(back.argv, step.argv);
    EXPECT_EQ(back.host_argv, step.host_argv);
    EXPECT_EQ(back.directory, step.directory);
    EXPECT_EQ(back.env, step.env);
    ASSERT_EQ(back.files.size(), 1u);
    EXPECT_EQ(back.files[0].path, ".caisson/x");
    EXPECT_EQ(back.files[0].content, step.files[0].content);
    EXPECT_EQ(back.limits, step.limits);
    EXPECT_FALSE(spec_from_json(spec_to_json({})).compile);
}

TEST(Spec, OfAnEarlierReleaseHasTheDefaultsOfWhatItDoesNotKnow)
{
    const auto text = spec_to_json({});
    for (const auto* name : {"skill", "input", "collect", "retry", "idempotent", "webhook", "checkpoint"})
        EXPECT_FALSE(json::parse(text).as_object().contains(name)) << name;
    const auto back = spec_from_json(text);
    EXPECT_EQ(back.retry, retry_policy());
    EXPECT_EQ(back.collect, collect_spec());
    EXPECT_FALSE(back.skill || back.webhook || back.checkpoint || back.idempotent);
}

TEST(Spec, CountsWhatItHoldsInMemory)
{
    execution_spec spec;
    EXPECT_EQ(content_bytes(spec), 0u);
    spec.input = shared_bytes("12345");
    spec.skill = skill_run{.instructions = "123", .output_schema = "12"};
    EXPECT_EQ(content_bytes(spec), 10u);
}

TEST(Spec, DefaultsComeBack)
{
    const auto back = spec_from_json(spec_to_json({}));
    EXPECT_EQ(back.kind, execution_kind::command);
    EXPECT_FALSE(back.pty);
    EXPECT_TRUE(back.files.empty());
    EXPECT_EQ(back.output_limit_action, on_output_limit::truncate);
}

TEST(Spec, ComesBackFromJsonAndItsBody)
{
    auto spec = some_spec();
    const auto content = [](char fill) { return shared_bytes(std::string(2'000, fill)); };
    spec.files = {{"a", content('a')}, {"small", shared_bytes(std::string("s"))}, {"b", content('b')}};
    spec.stdin_data = content('\xff');
    spec.input = content('i');
    spec.compile.emplace().files = {{"c", content('c')}};
    spec.checkpoint.emplace().state = std::string(2'000, 's');
    spec_body beside;
    const auto text = spec_to_json(spec, &beside);
    const auto body = body_of(spec);
    ASSERT_EQ(body.parts, beside.parts) << "in the same order";
    EXPECT_EQ(body.bytes, 12'000u);
    std::string whole;
    for (const auto& part : body.parts)
        whole += part.view();
    EXPECT_EQ(spec_to_json(spec_from_json(text, shared_bytes(whole))), spec_to_json(spec));
    whole.pop_back();
    EXPECT_THROW(spec_from_json(text, shared_bytes(whole)), std::exception) << "it is cut";
    EXPECT_THROW(spec_from_json(text), std::exception);
}

TEST(Spec, ForeignTextThrows)
{
    for (auto text : {"", "[]", "{}", "{\"kind\":\"skill\"}", "nonsense"})
        EXPECT_THROW(spec_from_json(text), std::exception) << text;
    auto text = spec_to_json(some_spec());
    text.replace(text.find("AP8B"), 4, "A?8B");
    EXPECT_THROW(spec_from_json(text), std::exception);
    auto of_newer = spec_to_json(some_spec());
    of_newer.replace(of_newer.find("agent_lost"), 10, "agent_late");
    EXPECT_THROW(spec_from_json(of_newer), std::exception);
}

}    // namespace

}    // namespace caisson
