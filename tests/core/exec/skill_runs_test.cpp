#include "core/exec/skill/skill_runs.hpp"

#include "core/images/image_service.hpp"
#include "tests/support/fake_images.hpp"
#include "tests/support/fake_schemas.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class one_skill : public skill_finder {
public:
    task<result<skill_revision>> find(tenant_id, std::string name, std::string) override
    {
        if (name != revision.manifest.name)
            co_return error{errc::not_found, "no such skill"};
        co_return revision;
    }
    skill_revision revision;
};

/// Wants the member "text"; schemas that say "wants_big" are not for it.
result<std::vector<field_problem>> wants_text(std::string_view schema, std::string_view json)
{
    if (schema == "broken")
        return error{errc::bad_request, "it is no schema"};
    if (json.find("\"text\"") != std::string_view::npos)
        return std::vector<field_problem>();
    return std::vector<field_problem>{{"/text", "is required"}, {"", "is no object"}};
}

std::optional<std::string> only_python_and_bash(std::string_view name)
{
    return name == "node" ? std::nullopt : std::optional<std::string>("/usr/bin/" + std::string(name));
}

class SkillRuns : public ::testing::Test {
protected:
    SkillRuns()
    {
        auto& manifest = finder.revision.manifest;
        manifest.name = "count";
        manifest.version = "1.0.0";
        manifest.lang = "python";
        manifest.entrypoint = "scripts/main.py";
        manifest.instructions = "Counts.";
        finder.revision.digest = "abcd";
        asked.name = "count";
        spec.kind = execution_kind::skill;
        spec.limits.wall_ms = 120'000;
        spec.limits.memory_bytes = 256 << 20;
        spec.runtime = "bubblewrap";
        config.tenants["strict"].images = std::vector<std::string>();
        config.tenants["bash-only"].images = std::vector<std::string>{"bash:5"};
        options = skill_options_of(config);
        options.runtimes = {"bubblewrap", "mock"};
        table = config.images.host;
        checker.judge = &wants_text;
    }

    result<execution_spec> prepare(std::string tenant_name = "default")
    {
        image_service images(context.get_executor(), time, log, allowed, nullptr, image_options_of(config));
        skill_runs runs(finder, &checker, images, options, host_images(table, &only_python_and_bash), image_table(config.images));
        return testing::run_task(context, runs.prepare({}, std::move(tenant_name), spec, asked));
    }
    execution_spec good()
    {
        auto made = prepare();
        EXPECT_TRUE(made.has_value()) << made.error().detail;
        return made.has_value() ? *made : execution_spec();
    }
    std::string refused(std::string tenant_name = "default")
    {
        const auto made = prepare(std::move(tenant_name));
        return made.has_value() ? "accepted" : std::string(slug(made.error().code)) + ": " + made.error().detail;
    }
    skill_manifest& manifest() { return finder.revision.manifest; }

    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    null_logger log;
    testing::fake_allowed_images allowed;
    server_config config;
    testing::fake_schema_checker checker;
    one_skill finder;
    skill_run_options options;
    std::vector<std::string> table;
    execution_spec spec;
    skill_request asked;
};

TEST_F(SkillRuns, MakeTheProgramOfALanguage)
{
    asked.args = {"--fast"};
    const auto made = good();
    EXPECT_THAT(made.argv, ElementsAre("/usr/bin/python3", "-u", "/sandbox/scripts/scripts/main.py", "--fast"));
    EXPECT_EQ(made.cwd, "");
    EXPECT_EQ(*made.skill, (skill_run{"count", "1.0.0", "abcd", "python:3.12-slim", "/usr/bin/python3", "Counts.", ""}));
    EXPECT_THAT(made.collect.patterns, ElementsAre("out/files/**"));
    EXPECT_EQ(made.collect.max_output_bytes, 1 << 20);
}

TEST_F(SkillRuns, RunTheSkillsOwnCommandInItsPackage)
{
    manifest().command = {"bin/count", "--all"};
    manifest().lang = "bash";
    asked.args = {"x"};
    const auto made = good();
    EXPECT_THAT(made.argv, ElementsAre("/sandbox/scripts/bin/count", "--all", "x"));
    EXPECT_EQ(made.cwd, "scripts");
    EXPECT_EQ(made.skill->interpreter, "/usr/bin/bash");
    manifest().command = {"python3", "a.py"};
    EXPECT_THAT(good().argv, ElementsAre("python3", "a.py", "x"));
    spec.cwd = "elsewhere";
    EXPECT_EQ(refused(), "bad_request: cwd cannot be chosen: this skill's command is run in its package");
}

TEST_F(SkillRuns, TakeTheRequestsVariablesBeforeTheSkills)
{
    manifest().env = {{"A", "skill"}, {"B", "skill"}};
    spec.env = {{"A", "request"}};
    EXPECT_THAT(good().env, ElementsAre(Pair("A", "request"), Pair("B", "skill")));
}

struct variable_case {
    const char* name;
    const char* variable;
    bool refused;
};

class SkillVariable : public SkillRuns, public ::testing::WithParamInterface<variable_case> { };

TEST_P(SkillVariable, IsRefusedByName)
{
    spec.env = {{GetParam().variable, "x"}};
    const auto told = GetParam().refused ? "bad_request: env var \"" + std::string(GetParam().variable) + "\" is not allowed" : "accepted";
    EXPECT_EQ(refused(), told);
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillVariable,
    ::testing::Values(variable_case{"path", "PATH", true}, variable_case{"home", "HOME", true},
        variable_case{"preload", "LD_PRELOAD", true}, variable_case{"library_path", "LD_LIBRARY_PATH", true},
        variable_case{"pythonpath", "PYTHONPATH", true}, variable_case{"node_path", "NODE_PATH", true},
        variable_case{"node_options", "NODE_OPTIONS", true}, variable_case{"sandbox", "SANDBOX_OUTPUT", true},
        variable_case{"any_case", "sandBox_x", true}, variable_case{"skill", "skill_instructions", true},
        variable_case{"lower_path", "path", false}, variable_case{"not_a_prefix", "MY_SANDBOX_X", false},
        variable_case{"sandbox_alone", "SANDBOX", false}),
    [](const auto& info) { return info.param.name; });

TEST_F(SkillRuns, AllWrongVariablesAreToldAtOnce)
{
    spec.env = {{"HOME", "x"}, {"SKILL_X", "x"}};
    EXPECT_EQ(refused(), "bad_request: env var \"HOME\" is not allowed; env var \"SKILL_X\" is not allowed");
}

TEST_F(SkillRuns, WhatIsNotThereIsNamed)
{
    asked.name = "other";
    EXPECT_EQ(refused(), "not_found: skill not found: other@latest");
    asked.version = "2.0.0";
    EXPECT_EQ(refused(), "not_found: skill not found: other@2.0.0");
}

TEST_F(SkillRuns, WhatIsDisabledIsAConflict)
{
    finder.revision.disabled = true;
    EXPECT_EQ(refused(), "conflict: skill count@1.0.0 is disabled");
}

TEST_F(SkillRuns, InputIsCheckedBySchema)
{
    manifest().input_schema = "schema";
    EXPECT_EQ(refused(), "bad_request: input/text is required; input is no object");
    spec.input = shared_bytes(R"({"text":"a"})");
    EXPECT_EQ(refused(), "accepted");
    manifest().input_schema = "broken";
    EXPECT_EQ(refused(), "bad_request: the skill's inputs schema cannot be used: it is no schema");
    EXPECT_THAT(checker.askers, ::testing::Each(schema_checker::asker::request));
}

TEST_F(SkillRuns, MistakesOfTheInputAreFields)
{
    manifest().input_schema = "schema";
    const auto made = prepare();
    ASSERT_TRUE(made.has_error());
    ASSERT_EQ(made.error().fields.size(), 2u);
    EXPECT_EQ(made.error().fields[0].field, "input/text");
    EXPECT_EQ(made.error().fields[1].field, "input") << "the whole of it";
}

TEST_F(SkillRuns, AnInputThatIsNotGivenIsAnEmptyObject)
{
    manifest().input_schema = "schema";
    std::string checked;
    checker.judge = [&checked](std::string_view, std::string_view json) {
        checked = json;
        return std::vector<field_problem>();
    };
    good();
    EXPECT_EQ(checked, "{}");
}

TEST_F(SkillRuns, ACheckThatCannotBeMadeNowIsNoMistake)
{
    manifest().input_schema = "schema";
    checker.judge = [](auto, auto) { return error{errc::runtime_unavailable, "busy"}; };
    spec.env = {{"HOME", "x"}};
    EXPECT_EQ(refused(), "runtime_unavailable: busy");
}

struct image_case {
    const char* name;
    const char* image;
    const char* lang;
    const char* tenant;
    const char* told;
};

class SkillImage : public SkillRuns, public ::testing::WithParamInterface<image_case> { };

constexpr auto all_allowed = "(allowed: python:3.12-slim, python:3.11-slim, node:20-slim, node:18-slim, bash:5)";

TEST_P(SkillImage, IsAllowedOrNot)
{
    const auto& c = GetParam();
    manifest().image = c.image;
    manifest().lang = c.lang;
    auto want = std::string(c.told);
    if (const auto at = want.find("ALL"); at != std::string::npos)
        want.replace(at, 3, all_allowed);
    EXPECT_EQ(refused(c.tenant), want);
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillImage,
    ::testing::Values(image_case{"default_of_python", "", "python", "default", "accepted"},
        image_case{"default_of_bash", "", "bash", "default", "accepted"},
        image_case{"named", "python:3.11-slim", "python", "default", "accepted"},
        image_case{"unknown", "python:3", "python", "default", "image_not_allowed: image \"python:3\" is not in the allowlist ALL"},
        image_case{"other_case", "Python:3.12-slim", "python", "default",
            "image_not_allowed: image \"Python:3.12-slim\" is not in the allowlist ALL"},
        image_case{"space", "bash:5 ", "bash", "default", "image_not_allowed: image \"bash:5 \" is not in the allowlist ALL"},
        image_case{"none_allowed", "", "python", "strict", "image_not_allowed: image allowlist is empty; no images are permitted"},
        image_case{"not_for_the_tenant", "", "python", "bash-only",
            "image_not_allowed: image \"python:3.12-slim\" is not in the allowlist (allowed: bash:5)"},
        image_case{"for_the_tenant", "", "bash", "bash-only", "accepted"},
        image_case{"not_installed", "", "node", "default",
            "image_not_allowed: image \"node:20-slim\" stands for node on this host (images.host), which is not installed"},
        image_case{"another_language", "bash:5", "python", "default",
            "image_not_allowed: image \"bash:5\" stands for bash on this host (images.host), and the skill is written for python"}),
    [](const auto& info) { return info.param.name; });

TEST_F(SkillRuns, AnImageWithoutAProgramNamesTheTable)
{
    table = {"bash:5=bash"};
    EXPECT_EQ(refused(), "image_not_allowed: image \"python:3.12-slim\" has no program on this host; add it to images.host of the server's "
                         "config, or run it on a runtime with images");
    table = {"python:3.12-slim=/bin/true"};
    EXPECT_EQ(good().skill->interpreter, "/bin/true");
    table = {"python:3.12-slim=/nowhere/python"};
    EXPECT_EQ(refused(),
        "image_not_allowed: image \"python:3.12-slim\" stands for /nowhere/python on this host (images.host), which is not "
        "installed");
}

TEST_F(SkillRuns, RunInTheirImageWhereTheRuntimeHasImages)
{
    spec.runtime = "docker";
    table.clear();
    auto made = good();
    EXPECT_EQ(made.image, "python:3.12-slim");
    EXPECT_EQ(made.skill->image, "python:3.12-slim");
    EXPECT_EQ(made.skill->interpreter, "python3");
    EXPECT_THAT(made.argv, ElementsAre("python3", "-u", "/sandbox/scripts/scripts/main.py"));
    config.images.interpreters = {"python:3.12-slim=/opt/python"};
    EXPECT_EQ(good().argv.front(), "/opt/python");
    config.images.interpreters.clear();
    manifest().image = "bash:5";
    EXPECT_EQ(good().image, "bash:5") << "whether it has Python is the image's";
    manifest().image = "other:1";
    EXPECT_THAT(refused(), ::testing::StartsWith("image_not_allowed: image \"other:1\" is not in the allowlist"));
}

TEST_F(SkillRuns, TakeTheSkillsLimitsUnlessTheRequestGivesThem)
{
    manifest().timeout_ms = 60'000;
    manifest().memory_bytes = 64 << 20;
    manifest().cpu_milli = 250;
    const auto made = good();
    EXPECT_EQ(made.limits.wall_ms, 60'000);
    EXPECT_EQ(made.limits.memory_bytes, 64 << 20);
    EXPECT_EQ(made.limits.cpu_milli, 250);
    EXPECT_EQ(made.limits.cpu_ms, 15'000);
    asked.given_limits = {"wall_ms", "memory_bytes", "cpus", "cpu_ms"};
    const auto given = good();
    EXPECT_EQ(given.limits.wall_ms, 120'000);
    EXPECT_EQ(given.limits.memory_bytes, 256 << 20);
    EXPECT_EQ(given.limits.cpu_milli, 500);
    EXPECT_EQ(given.limits.cpu_ms, spec.limits.cpu_ms);
}

struct timeout_case {
    const char* name;
    std::int64_t said;
    std::int64_t wall_ms;
};

class SkillTimeout : public SkillRuns, public ::testing::WithParamInterface<timeout_case> { };

TEST_P(SkillTimeout, IsTheWallLimit)
{
    manifest().timeout_ms = GetParam().said;
    EXPECT_EQ(good().limits.wall_ms, GetParam().wall_ms);
}

INSTANTIATE_TEST_SUITE_P(Cases, SkillTimeout,
    ::testing::Values(timeout_case{"as_said", 5'000, 5'000}, timeout_case{"zero", 0, 120'000}, timeout_case{"negative", -1, 120'000},
        timeout_case{"at_most_ten_minutes", 3'600'000, 600'000}, timeout_case{"at_least_the_least", 1, 100}),
    [](const auto& info) { return info.param.name; });

TEST_F(SkillRuns, MemoryAndCpuOutOfRangeNameTheLimit)
{
    manifest().memory_bytes = 1'024;
    manifest().memory_text = "1Ki";
    manifest().cpu_milli = 100'000;
    manifest().cpu_text = "100";
    EXPECT_EQ(refused(),
        "bad_request: limits.memory_bytes is needed: the skill asks for 1Ki, this server gives from 16777216 to 17179869184 "
        "bytes; limits.cpus is needed: the skill asks for 100, this server gives from 10 to 64000 thousandths");
    asked.given_limits = {"memory_bytes", "cpus"};
    EXPECT_EQ(refused(), "accepted");
}

TEST_F(SkillRuns, TakeTheSkillsRuntimeUnlessTheRequestNamesOne)
{
    manifest().runtime = "mock";
    EXPECT_EQ(good().runtime, "mock");
    asked.gives_runtime = true;
    EXPECT_EQ(good().runtime, "bubblewrap");
    asked.gives_runtime = false;
    manifest().runtime = "docker";
    EXPECT_EQ(refused(), "bad_request: runtime is needed: the skill asks for docker, which is not enabled on this server");
}

TEST_F(SkillRuns, TakeTheSkillsPolicyUnlessTheRequestHasOne)
{
    manifest().retry = retry_policy{.attempts = 5};
    manifest().idempotent = true;
    manifest().artifacts = {"*.png"};
    const auto made = good();
    EXPECT_EQ(made.retry.attempts, 5);
    EXPECT_TRUE(made.idempotent);
    EXPECT_THAT(made.collect.patterns, ElementsAre("out/files/*.png"));
    asked.gives_retry = asked.gives_idempotent = true;
    EXPECT_EQ(good().retry.attempts, 2);
    EXPECT_FALSE(good().idempotent);
}

TEST_F(SkillRuns, ALostRunIsRepeatedWithConsentOnly)
{
    asked.gives_retry = true;
    spec.retry.faults = {attempt_fault::agent_lost};
    EXPECT_EQ(refused(),
        "bad_request: retry may name agent_lost in \"on\" with \"idempotent\": true only, which the skill does not say of itself");
    manifest().idempotent = true;
    EXPECT_EQ(good().retry.faults, std::vector{attempt_fault::agent_lost});
}

TEST_F(SkillRuns, AProgramThatNoKernelStartsIsRefused)
{
    manifest().env = {{"A", std::string(600'000, 'x')}};
    EXPECT_THAT(refused(), ::testing::HasSubstr("args and env take 600"));
}

TEST(SkillLimits, LieWithinTheOthers)
{
    server_config config;
    EXPECT_EQ(skill_limits(config).wall_ms.def, 120'000);
    EXPECT_EQ(skill_limits(config).wall_ms.max, 600'000);
    EXPECT_EQ(skill_limits(config).memory_bytes.def, 256 << 20);
    config.limits.wall_ms.max = 30'000;
    config.limits.memory_bytes.max = 64 << 20;
    EXPECT_EQ(skill_limits(config).wall_ms.def, 30'000);
    EXPECT_EQ(skill_limits(config).wall_ms.max, 30'000);
    EXPECT_EQ(skill_limits(config).memory_bytes.def, 64 << 20);
}

}    // namespace

}    // namespace caisson
