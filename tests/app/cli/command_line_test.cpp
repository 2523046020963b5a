#include "app/cli/command_line.hpp"

#include <gmock/gmock.h>

namespace caisson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* an_id = "exe_01jd2c3m4n5p6q7r8s9t0v1w2x";

parse_context context_of(std::map<std::string, std::string> environment = {}, bool stdin_is_terminal = true)
{
    return {std::move(environment), {.is_root = true, .cores = 2, .executable_dir = "/opt"}, stdin_is_terminal};
}

template <class Options>
Options parsed(const std::vector<std::string>& args, const parse_context& context = context_of())
{
    const auto outcome = parse_command_line(args, context);
    EXPECT_TRUE(outcome.command.has_value()) << outcome.text;
    if (!outcome.command || !std::holds_alternative<Options>(*outcome.command)) {
        ADD_FAILURE() << "another verb";
        return {};
    }
    return std::get<Options>(*outcome.command);
}

TEST(Run, AFileAndItsArguments)
{
    const auto run = parsed<run_options>({"run", "--timeout", "5s", "dir/hello.py", "--timeout", "x", "--", "-v"});
    EXPECT_EQ(run.file, "dir/hello.py");
    EXPECT_EQ(run.language, "python");
    EXPECT_EQ(run.wall_ms, 5'000);
    EXPECT_THAT(run.args, ElementsAre("--timeout", "x", "--", "-v"));
    EXPECT_THAT(run.command, IsEmpty());
}

TEST(Run, CodeAndItsArguments)
{
    const auto run = parsed<run_options>({"run", "-l", "py", "-c", "print(1)", "one", "-two"});
    EXPECT_EQ(run.code, "print(1)");
    EXPECT_EQ(run.language, "py");
    EXPECT_THAT(run.args, ElementsAre("one", "-two"));
    EXPECT_FALSE(run.file.has_value());
}

TEST(Run, ValuesThatLookLikeOptions)
{
    const auto run = parsed<run_options>({"run", "-lpython", "--code=-1", "--label", "a=--b"});
    EXPECT_EQ(run.language, "python");
    EXPECT_EQ(run.code, "-1");
    EXPECT_THAT(run.labels, ElementsAre(Pair("a", "--b")));
}

TEST(Run, ACommandAfterDashes)
{
    const auto run = parsed<run_options>({"run", "--memory", "1Gi", "--cpus", "1.5", "--", "ls", "-l", "--", "/"});
    EXPECT_THAT(run.command, ElementsAre("ls", "-l", "--", "/"));
    EXPECT_EQ(run.memory_bytes, 1LL << 30);
    EXPECT_EQ(run.cpus, 1.5);
    EXPECT_THAT(run.args, IsEmpty());
}

TEST(Run, AShellLine)
{
    const auto run = parsed<run_options>({"run", "--shell", "ls | wc -l"});
    EXPECT_EQ(run.shell, "ls | wc -l");
}

TEST(Run, AProgramFromStandardInput)
{
    EXPECT_TRUE(parsed<run_options>({"run", "-l", "bash", "-"}).program_from_stdin);
    EXPECT_TRUE(parsed<run_options>({"run", "-l", "bash"}, context_of({}, false)).program_from_stdin);
    const auto with_args = parsed<run_options>({"run", "-l", "bash", "-", "a", "b"});
    EXPECT_TRUE(with_args.program_from_stdin);
    EXPECT_THAT(with_args.args, ElementsAre("a", "b"));
}

TEST(Run, RepeatedOptionsAddUp)
{
    const auto run = parsed<run_options>({"run", "--file", "a.txt", "--file", "dir/b.txt", "--file", "c.txt:in/d.txt", "-e", "A=1", "--env",
        "B=x=y", "-e", "C=", "m.js", "--file", "z"});
    ASSERT_EQ(run.files.size(), 3u);
    EXPECT_EQ(run.files[0].as, "a.txt");
    EXPECT_EQ(run.files[1].from, "dir/b.txt");
    EXPECT_EQ(run.files[1].as, "b.txt");
    EXPECT_EQ(run.files[2].from, "c.txt");
    EXPECT_EQ(run.files[2].as, "in/d.txt");
    EXPECT_THAT(run.env, ElementsAre(Pair("A", "1"), Pair("B", "x=y"), Pair("C", "")));
    EXPECT_EQ(run.language, "javascript");
    EXPECT_THAT(run.args, ElementsAre("--file", "z"));
}

TEST(Run, Flags)
{
    const auto run = parsed<run_options>(
        {"run", "--stdin", "--stats", "--network", "none", "--runtime", "bubblewrap", "--cwd", "sub", "-o", "json", "x.sh"});
    EXPECT_TRUE(run.forward_stdin);
    EXPECT_TRUE(run.stats);
    EXPECT_EQ(run.network, "none");
    EXPECT_EQ(run.runtime, "bubblewrap");
    EXPECT_EQ(run.cwd, "sub");
    EXPECT_EQ(run.client.output, output_format::json);
    EXPECT_EQ(run.language, "bash");
    EXPECT_TRUE(parsed<run_options>({"run", "-d", "x.sh"}).detach);
    EXPECT_TRUE(parsed<run_options>({"run", "--pty", "x.sh"}).pty);
}

struct mistake_case {
    std::string_view name;
    std::vector<std::string> args;
    int want_status;
    std::string_view want;    // in the message
};
class Mistakes : public ::testing::TestWithParam<mistake_case> { };

TEST_P(Mistakes, AreOneLineWithAHint)
{
    const auto& c = GetParam();
    const auto outcome = parse_command_line(c.args, context_of());
    EXPECT_FALSE(outcome.command.has_value());
    EXPECT_EQ(outcome.exit_status, c.want_status);
    EXPECT_THAT(outcome.text, HasSubstr(std::string(c.want)));
    EXPECT_THAT(outcome.text, HasSubstr("--help"));
    EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, Mistakes,
    ::testing::Values(mistake_case{"no_verb", {}, 2, "subcommand"}, mistake_case{"unknown_verb", {"fly"}, 2, "caisson"},
        mistake_case{"unknown_option", {"ps", "--fast"}, 2, "--fast"},
        mistake_case{"run_unknown_option", {"run", "--fast", "x.py"}, 125, "--fast"},
        mistake_case{"run_nothing", {"run"}, 125, "nothing to run"},
        mistake_case{"run_dashes_only", {"run", "--"}, 125, "no command after --"},
        mistake_case{"run_unknown_extension", {"run", "notes.txt"}, 125, "say it with -l"},
        mistake_case{"run_code_without_language", {"run", "-c", "1"}, 125, "say the language"},
        mistake_case{"run_stdin_without_language", {"run", "-"}, 125, "say the language"},
        mistake_case{"run_language_for_command", {"run", "-l", "python", "--", "ls"}, 125, "a command has no language"},
        mistake_case{"run_code_and_shell", {"run", "-l", "py", "-c", "1", "--shell", "ls"}, 125, "exclude each other"},
        mistake_case{"run_stdin_twice", {"run", "--stdin", "-l", "py", "-"}, 125, "cannot be the program and its input"},
        mistake_case{"run_detached_stdin", {"run", "-d", "--stdin", "x.py"}, 125, "--detach excludes"},
        mistake_case{"run_timeout", {"run", "--timeout", "soon", "x.py"}, 125, "\"soon\" is not a time"},
        mistake_case{"run_memory", {"run", "--memory", "0", "x.py"}, 125, "is not a size"},
        mistake_case{"run_cpus", {"run", "--cpus", "-1", "x.py"}, 125, "is not a number of cores"},
        mistake_case{"run_env", {"run", "-e", "NAME", "x.py"}, 125, "is not NAME=VALUE"},
        mistake_case{"run_env_no_name", {"run", "-e", "=1", "x.py"}, 125, "is not NAME=VALUE"},
        mistake_case{"run_file", {"run", "--file", "a:", "x.py"}, 125, "is not PATH"},
        mistake_case{"run_network", {"run", "--network", "host", "x.py"}, 125, "--network"},
        mistake_case{"show_no_id", {"show"}, 2, "ID is required"}, mistake_case{"show_odd_id", {"show", "../keys"}, 2, "is not the id"},
        mistake_case{"rm_one_odd_id", {"rm", an_id, "exe_1"}, 2, "is not the id"},
        mistake_case{"ps_limit", {"ps", "--limit", "0"}, 2, "--limit"},
        mistake_case{"ps_status", {"ps", "--status", "dead"}, 2, "--status"}, mistake_case{"output", {"ps", "-o", "xml"}, 2, "--output"},
        mistake_case{"key_no_verb", {"key"}, 2, "subcommand"}, mistake_case{"key_no_tenant", {"key", "create"}, 2, "--tenant is required"},
        mistake_case{"key_scope", {"key", "create", "--tenant", "a", "--scope", "root"}, 2, "--scope"},
        mistake_case{"key_expires", {"key", "create", "--tenant", "a", "--expires", "never"}, 2, "is not a time"},
        mistake_case{"serve_set", {"serve", "--set", "listen"}, 2, "is not KEY=VALUE"},
        mistake_case{"version_argument", {"version", "x"}, 2, "x"}),
    [](const auto& info) { return std::string(info.param.name); });

struct help_case {
    std::string_view name;
    std::vector<std::string> args;
    std::string_view want;
};
class Help : public ::testing::TestWithParam<help_case> { };

TEST_P(Help, IsNoMistake)
{
    const auto outcome = parse_command_line(GetParam().args, context_of());
    EXPECT_FALSE(outcome.command.has_value());
    EXPECT_EQ(outcome.exit_status, 0);
    EXPECT_THAT(outcome.text, HasSubstr(std::string(GetParam().want)));
}

INSTANTIATE_TEST_SUITE_P(Cases, Help,
    ::testing::Values(help_case{"general", {"--help"}, "http://127.0.0.1:8320"},
        help_case{"general_data", {"--help"}, "/var/lib/caisson/admin.key"}, help_case{"general_verbs", {"-h"}, "doctor"},
        help_case{"run", {"run", "--help"}, "124 if a time limit"}, help_case{"run_forms", {"run", "-h"}, "-- COMMAND [ARGS...]"},
        help_case{"serve", {"serve", "--help"}, "127.0.0.1:8320"}, help_case{"serve_data", {"serve", "--help"}, "/var/lib/caisson"},
        help_case{"key", {"key", "create", "--help"}, "--expires 30d"}, help_case{"ps", {"ps", "--help"}, "--label job=nightly"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Client, DefaultsAndWhereTheyComeFrom)
{
    const auto plain = parsed<ps_options>({"ps"});
    EXPECT_EQ(plain.client.url, "http://127.0.0.1:8320");
    EXPECT_EQ(plain.client.data_dir, "/var/lib/caisson");
    EXPECT_EQ(plain.client.output, output_format::table);
    const auto context = context_of({{"CAISSON_URL", "http://10.0.0.1:1"}, {"CAISSON_DATA_DIR", "/d"}});
    EXPECT_EQ(parsed<ps_options>({"ps"}, context).client.url, "http://10.0.0.1:1");
    EXPECT_EQ(parsed<ps_options>({"ps"}, context).client.data_dir, "/d");
    const auto given = parsed<ps_options>({"ps", "--url", "http://[::1]:2", "--data", "/e"}, context);
    EXPECT_EQ(given.client.url, "http://[::1]:2");
    EXPECT_EQ(given.client.data_dir, "/e");
}

TEST(VerbOptions, Ps)
{
    const auto ps = parsed<ps_options>({"ps", "-a", "--status", "failed", "--label", "a=b", "-n", "200", "--output", "json"});
    EXPECT_TRUE(ps.all);
    EXPECT_EQ(ps.status, "failed");
    EXPECT_EQ(ps.label, "a=b");
    EXPECT_EQ(ps.limit, 200);
    EXPECT_EQ(ps.client.output, output_format::json);
    EXPECT_EQ(parsed<ps_options>({"ps"}).limit, 50);
}

TEST(VerbOptions, OneExecution)
{
    EXPECT_EQ(parsed<show_options>({"show", an_id}).id, an_id);
    EXPECT_EQ(parsed<cancel_options>({"cancel", an_id}).id, an_id);
    EXPECT_THAT(parsed<rm_options>({"rm", an_id, an_id}).ids, ElementsAre(an_id, an_id));
    const auto logs = parsed<logs_options>({"logs", "-f", an_id, "--stream", "stderr"});
    EXPECT_TRUE(logs.follow);
    EXPECT_EQ(logs.stream, "stderr");
    EXPECT_EQ(logs.id, an_id);
}

TEST(VerbOptions, Keys)
{
    const auto create =
        parsed<key_create_options>({"key", "create", "--tenant", "acme", "--scope", "run", "--scope", "admin", "--expires", "30d"});
    EXPECT_EQ(create.tenant, "acme");
    EXPECT_THAT(create.scopes, ElementsAre("run", "admin"));
    EXPECT_EQ(create.expires_in_ms, 30LL * 86'400'000);
    EXPECT_THAT(parsed<key_create_options>({"key", "create", "--tenant", "acme"}).scopes, ElementsAre("run", "read"));
    EXPECT_EQ(parsed<key_list_options>({"key", "ls", "--tenant", "acme"}).tenant, "acme");
    EXPECT_EQ(parsed<key_revoke_options>({"key", "revoke", "key_1"}).id, "key_1");
    EXPECT_EQ(parsed<key_revoke_options>({"key", "revoke", "key_1", "--data", "/d"}).client.data_dir, "/d");
}

TEST(VerbOptions, ServeGathersFlags)
{
    const auto serve =
        parsed<serve_options>({"serve", "--config", "c.toml", "--data", "/d", "--listen", "[::1]:0", "--ready-file", "r", "--on-shutdown",
            "end", "--log-level", "debug", "--allow-process-runtime-without-isolation", "--set", "http.max_headers=20", "--set", "a=b=c"});
    EXPECT_EQ(serve.config_file, "c.toml");
    std::vector<std::string> flags;
    for (const auto& one : serve.flags)
        flags.push_back(one.flag + " " + one.key + " " + one.value);
    EXPECT_THAT(flags, ::testing::UnorderedElementsAre("--data data_dir /d", "--listen listen [::1]:0", "--ready-file ready_file r",
                           "--on-shutdown on_shutdown end", "--log-level log.level debug",
                           "--allow-process-runtime-without-isolation runtimes.process.i_know_this_runs_code_without_isolation true",
                           "--set http.max_headers http.max_headers 20", "--set a a b=c"));
}

TEST(VerbOptions, ConfigFileFromTheEnvironment)
{
    const auto context = context_of({{"CAISSON_CONFIG", "/etc/caisson.toml"}});
    EXPECT_EQ(parsed<serve_options>({"serve"}, context).config_file, "/etc/caisson.toml");
    EXPECT_EQ(parsed<serve_options>({"serve", "--config", "x"}, context).config_file, "x");
    EXPECT_EQ(parsed<doctor_options>({"doctor"}, context).config_file, "/etc/caisson.toml");
    EXPECT_FALSE(parsed<serve_options>({"serve"}).config_file.has_value());
}

TEST(VerbOptions, Doctor)
{
    const auto doctor = parsed<doctor_options>({"doctor", "--data", "/d", "-o", "json", "--url", "http://x:1"});
    EXPECT_EQ(doctor.client.data_dir, "/d");
    EXPECT_EQ(doctor.client.url, "http://x:1");
    EXPECT_EQ(doctor.client.output, output_format::json);
    ASSERT_EQ(doctor.flags.size(), 1u);
    EXPECT_EQ(parsed<doctor_options>({"doctor"}).client.url, default_url);
}

TEST(VerbOptions, Version)
{
    EXPECT_TRUE(std::holds_alternative<version_options>(*parse_command_line({"version"}, context_of()).command));
    EXPECT_TRUE(std::holds_alternative<version_options>(*parse_command_line({"--version"}, context_of()).command));
}

}    // namespace
}    // namespace caisson::cli
