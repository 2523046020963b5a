#include "app/cli/command_line.hpp"
#include "app/cli/exit_status.hpp"

#include <gmock/gmock.h>

namespace caisson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* an_id = "exe_01jd2c3m4n5p6q7r8s9t0v1w2x";

parse_outcome outcome_of(const std::vector<std::string>& args)
{
    return parse_command_line(args, {{}, {.is_root = true, .cores = 2, .executable_dir = "/opt"}, true});
}

template <class Options>
Options parsed(const std::vector<std::string>& args)
{
    const auto outcome = outcome_of(args);
    if (!outcome.command || !std::holds_alternative<Options>(*outcome.command)) {
        ADD_FAILURE() << "another verb, or a mistake: " << outcome.text;
        return {};
    }
    return std::get<Options>(*outcome.command);
}

TEST(SkillCommandLine, New)
{
    const auto made = parsed<skill_new_options>({"skill", "new", "--lang", "node", "dir/shout"});
    EXPECT_EQ(made.folder, "dir/shout");
    EXPECT_EQ(made.lang, "node");
    EXPECT_EQ(parsed<skill_new_options>({"skill", "new", "shout"}).lang, "python");
}

TEST(SkillCommandLine, LintAndPack)
{
    EXPECT_TRUE(parsed<skill_lint_options>({"skill", "lint", "--json", "x.zip"}).json);
    const auto pack = parsed<skill_pack_options>({"skill", "pack", "-o", "/tmp/x.zip", "--force", "x"});
    EXPECT_EQ(pack.target, "/tmp/x.zip");
    EXPECT_TRUE(pack.force);
    EXPECT_FALSE(parsed<skill_pack_options>({"skill", "pack", "x"}).target);
}

TEST(SkillCommandLine, PushLsShow)
{
    const auto push = parsed<skill_push_options>({"skill", "push", "--url", "http://h:1", "x"});
    EXPECT_EQ(push.source, "x");
    EXPECT_EQ(push.client.url, "http://h:1");
    EXPECT_EQ(push.client.data_dir, "/var/lib/caisson");
    const auto list = parsed<skill_list_options>({"skill", "ls", "--search", "csv", "--json", "word-counter"});
    EXPECT_EQ(list.name, "word-counter");
    EXPECT_EQ(list.text, "csv");
    EXPECT_EQ(list.client.output, output_format::json);
    const auto show = parsed<skill_show_options>({"skill", "show", "a@sha256:0123"});
    EXPECT_EQ(show.skill.name, "a");
    EXPECT_EQ(show.skill.version, "sha256:0123");
}

TEST(SkillCommandLine, RmWantsAVersionOrAll)
{
    EXPECT_EQ(parsed<skill_remove_options>({"skill", "rm", "a@1.0.0"}).skill.version, "1.0.0");
    EXPECT_TRUE(parsed<skill_remove_options>({"skill", "rm", "--all", "a"}).all);
}

class OwnHelp : public ::testing::TestWithParam<std::vector<std::string>> { };

TEST_P(OwnHelp, HasExamplesAndExitStatusesOfItsOwn)
{
    auto args = GetParam();
    std::string name = "  caisson";
    for (const auto& word : args)
        name += " " + word;
    args.push_back("--help");
    const auto outcome = outcome_of(args);
    EXPECT_EQ(outcome.exit_status, 0);
    EXPECT_THAT(outcome.text, HasSubstr("Exit statuses: "));
    const auto examples = outcome.text.find("Examples:\n");
    ASSERT_NE(examples, std::string::npos);
    EXPECT_EQ(outcome.text.find(name, examples), examples + 10);
}

INSTANTIATE_TEST_SUITE_P(Cases, OwnHelp,
    ::testing::Values(std::vector<std::string>{"skill", "new"}, std::vector<std::string>{"skill", "lint"},
        std::vector<std::string>{"skill", "pack"}, std::vector<std::string>{"skill", "push"}, std::vector<std::string>{"skill", "ls"},
        std::vector<std::string>{"skill", "show"}, std::vector<std::string>{"skill", "rm"}, std::vector<std::string>{"skill", "run"},
        std::vector<std::string>{"artifacts", "ls"}, std::vector<std::string>{"artifacts", "get"},
        std::vector<std::string>{"key", "create"}, std::vector<std::string>{"key", "ls"}, std::vector<std::string>{"key", "revoke"},
        std::vector<std::string>{"ps"}, std::vector<std::string>{"show"}, std::vector<std::string>{"logs"},
        std::vector<std::string>{"cancel"}, std::vector<std::string>{"rm"}),
    [](const auto& info) {
        std::string name;
        for (const auto& word : info.param)
            name += (name.empty() ? "" : "_") + word;
        return name;
    });

TEST(SkillCommandLine, Run)
{
    const auto run = parsed<skill_run_options>({"skill", "run", "a@1.2.3", "--input", R"({"b":-1})", "-e", "A=1", "--label", "l=2",
        "--timeout", "2m", "--memory", "1Gi", "--cpus", "1.5", "--retry", "3", "--runtime", "mock", "-D", "out", "--force", "--stats"});
    EXPECT_EQ(run.skill.version, "1.2.3");
    EXPECT_EQ(run.input, R"({"b":-1})");
    EXPECT_THAT(run.env, ElementsAre(Pair("A", "1")));
    EXPECT_THAT(run.labels, ElementsAre(Pair("l", "2")));
    EXPECT_EQ(run.wall_ms, 120'000);
    EXPECT_EQ(run.memory_bytes, 1LL << 30);
    EXPECT_EQ(run.cpus, 1.5);
    EXPECT_EQ(run.attempts, 3);
    EXPECT_EQ(run.download, "out");
    EXPECT_TRUE(run.force && run.stats && !run.detach);
    EXPECT_EQ(parsed<skill_run_options>({"skill", "run", "a", "--input", "-"}).input, "-");
    EXPECT_TRUE(parsed<skill_run_options>({"skill", "run", "-d", "a"}).detach);
}

TEST(SkillCommandLine, Artifacts)
{
    EXPECT_EQ(parsed<artifact_list_options>({"artifacts", "ls", an_id}).id, an_id);
    EXPECT_EQ(parsed<artifact_get_options>({"artifacts", "get", an_id}).target, an_id);
    const auto one = parsed<artifact_get_options>({"artifacts", "get", an_id, "out/a.txt"});
    EXPECT_EQ(one.path, "out/a.txt");
    EXPECT_EQ(one.target, "a.txt");
    EXPECT_EQ(parsed<artifact_get_options>({"artifacts", "get", an_id, "out/a.txt", "-o", "-"}).target, "-");
    EXPECT_THAT(
        parsed<run_options>({"run", "--collect", "*.png", "--collect", "out/**", "--shell", "x"}).collect, ElementsAre("*.png", "out/**"));
}

struct wrong_usage {
    std::string_view name;
    std::vector<std::string> args;
    std::string_view want;
    int status = exit_status::usage;
};

class WrongSkillUsage : public ::testing::TestWithParam<wrong_usage> { };

TEST_P(WrongSkillUsage, IsTold)
{
    const auto outcome = outcome_of(GetParam().args);
    EXPECT_FALSE(outcome.command);
    EXPECT_EQ(outcome.exit_status, GetParam().status);
    EXPECT_THAT(outcome.text, HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(Cases, WrongSkillUsage,
    ::testing::Values(wrong_usage{"nothing", {"skill"}, "subcommand"},
        wrong_usage{"unknown_language", {"skill", "new", "--lang", "perl", "x"}, "perl"},
        wrong_usage{"slash", {"skill", "show", "a/b"}, "a/b"}, wrong_usage{"empty_version", {"skill", "show", "a@"}, "a@"},
        wrong_usage{"rm_of_all_unsaid", {"skill", "rm", "a"}, "--all"},
        wrong_usage{"rm_of_both", {"skill", "rm", "--all", "a@1.0.0"}, "--all"},
        wrong_usage{"two_inputs", {"skill", "run", "a", "--input", "{}", "-f", "x"}, "--input", exit_status::infrastructure},
        wrong_usage{"attempts", {"skill", "run", "a", "--retry", "11"}, "1 to 10", exit_status::infrastructure},
        wrong_usage{"detached_download", {"skill", "run", "a", "-d", "-D", "x"}, "artifacts get", exit_status::infrastructure},
        wrong_usage{"no_name", {"skill", "run"}, "SKILL", exit_status::infrastructure},
        wrong_usage{"no_execution", {"artifacts", "ls", "../x"}, "exe_"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SkillHelp, HasExamples)
{
    for (const auto& verb : {"new", "lint", "pack", "push", "ls", "rm", "run"})
        EXPECT_THAT(outcome_of({"skill", verb, "--help"}).text, HasSubstr("Examples:")) << verb;
    EXPECT_THAT(outcome_of({"skill", "run", "--help"}).text, HasSubstr("Exit statuses:"));
    EXPECT_THAT(outcome_of({"artifacts", "--help"}).text, HasSubstr("caisson artifacts get exe_"));
    EXPECT_THAT(outcome_of({"--help"}).text, HasSubstr("caisson skill run"));
}

}    // namespace
}    // namespace caisson::cli
