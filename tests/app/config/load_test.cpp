#include "tests/app/config/load_fixture.hpp"

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Load : public testing::config_test { };

TEST_F(Load, DefaultsAreComplete)
{
    const auto config = good();
    EXPECT_EQ(config.listen_host, "127.0.0.1");
    EXPECT_EQ(config.listen_port, 8320);
    EXPECT_EQ(config.data_dir, "/var/lib/caisson");
    EXPECT_EQ(config.agent_path, "/opt/caisson/caisson-agent");
    EXPECT_EQ(config.launch_path, "/opt/caisson/caisson-launch");
    EXPECT_EQ(config.default_runtime, "bubblewrap");
    EXPECT_THAT(config.runtimes, ElementsAre("bubblewrap"));
    EXPECT_EQ(config.executions.max_running, 16);
    EXPECT_EQ(config.on_shutdown, shutdown_action::keep);
}

TEST_F(Load, ImagesAreListsOfTheServerAndOfTenants)
{
    file("[images]\nallowed = [\"a:1\", \"b\"]\nhost = [\"a:1=python3\"]\n[tenants.acme]\nimages = []\n[tenants.other]\nimages = [\"b\"]\n"
         "[skills]\nmax_wall_ms = 1000\n");
    const auto config = good();
    EXPECT_THAT(config.images.allowed, ElementsAre("a:1", "b"));
    EXPECT_THAT(config.images.host, ElementsAre("a:1=python3"));
    EXPECT_TRUE(config.tenants.at("acme").images.value().empty());
    EXPECT_THAT(config.tenants.at("other").images.value(), ElementsAre("b"));
    EXPECT_EQ(config.skills.max_wall_ms, 1'000);
}

TEST_F(Load, AnImageOfTheHostNeedsItsProgram)
{
    file("[images]\nhost = [\"a:1\", \"=b\", \"c=\", \"d=e\"]\n");
    EXPECT_THAT(
        mistakes(), ElementsAre("c.toml:2:8: images.host: \"a:1\" is not IMAGE=PROGRAM",
                        "c.toml:2:8: images.host: \"=b\" is not IMAGE=PROGRAM", "c.toml:2:8: images.host: \"c=\" is not IMAGE=PROGRAM"));
}

TEST_F(Load, ModulesThatAreImportedAheadAreNames)
{
    file("[pool]\nwarm_interpreters = false\npreload = [\"numpy\", \"os.path\", \"_x1\"]\n");
    const auto config = good();
    EXPECT_FALSE(config.pool.warm_interpreters);
    EXPECT_THAT(config.pool.preload, ElementsAre("numpy", "os.path", "_x1"));
    for (const std::string name : {"", "a,b", "1a", "a.", ".a", "a b", "ä"}) {
        SCOPED_TRACE(name);
        file("[pool]\npreload = [\"" + name + "\"]\n");
        EXPECT_EQ(mistakes().size(), 1u);
    }
}

TEST_F(Load, TheEngineAndItsImages)
{
    file("[docker]\nengine = \"tcp://engine:2376\"\nca_file = \"/c/ca.pem\"\ncertificate_file = \"/c/me.pem\"\nkey_file = \"/c/me.key\"\n"
         "link = \"stdio\"\n[gvisor]\nengine_runtime = \"runsc-kvm\"\n[images]\npull = \"never\"\nlanguages = [\"py=own:1\"]\n"
         "default = \"own:2\"\ninterpreters = [\"own:1=/opt/python\"]\nensure = [\"own:1\"]\n"
         "[images.credentials.\"registry.example:5000\"]\nusername = \"robot\"\npassword_file = \"/c/word\"\n"
         "[runtimes]\nenabled = [\"docker\", \"gvisor\", \"bubblewrap\"]\ndefault = \"docker\"\n[executions]\n"
         "fallback = [\"gvisor\", \"bubblewrap\"]\n");
    const auto config = good();
    EXPECT_EQ(config.docker.engine, "tcp://engine:2376");
    EXPECT_EQ(config.docker.ca_file, "/c/ca.pem");
    EXPECT_EQ(config.docker.link, "stdio");
    EXPECT_EQ(config.gvisor.engine_runtime, "runsc-kvm");
    EXPECT_EQ(config.images.pull, "never");
    EXPECT_EQ(config.images.standard, "own:2");
    EXPECT_THAT(config.images.languages, ElementsAre("py=own:1"));
    EXPECT_EQ(config.images.credentials.at("registry.example:5000").username, "robot");
    EXPECT_EQ(config.images.credentials.at("registry.example:5000").password_file, "/c/word");
    EXPECT_THAT(config.runtimes, ElementsAre("docker", "gvisor", "bubblewrap"));
    EXPECT_THAT(config.fallback, ElementsAre("gvisor", "bubblewrap"));
}

TEST_F(Load, TenantsAreTablesByTheirNames)
{
    file("[tenants.acme]\nweight = 3\nmax_running = 2\n[tenants.\"a.b-c_D\"]\nmax_queued = 0\n[tenants.plain]\n");
    sources_.flags = {{"--set", "tenants.acme.max_queued", "7"}, {"--set", "tenants.late.weight", "100"}};
    const auto config = good();
    ASSERT_EQ(config.tenants.size(), 3u);
    EXPECT_EQ(config.tenants.at("acme").weight, 3);
    EXPECT_EQ(config.tenants.at("acme").max_running, 2);
    EXPECT_EQ(config.tenants.at("acme").max_queued, 7);
    EXPECT_EQ(config.tenants.at("a.b-c_D").max_queued, 0);
    EXPECT_EQ(config.tenants.at("a.b-c_D").max_running, -1);
    EXPECT_EQ(config.tenants.at("late").weight, 100);
}

TEST_F(Load, MistakesInTenantsAreReported)
{
    file("[tenants.acme]\nweight = 0\ncolour = 1\n[tenants.\"a b\"]\nweight = 1\n[tenants]\nweight = 5\n");
    sources_.flags = {{"--set", "tenants.acme.weight", "101"}, {"--set", "tenants.acme.max_running", "many"}};
    EXPECT_THAT(mistakes(), ::testing::UnorderedElementsAre(HasSubstr("tenants.acme.weight: must be from 1 to 100, is 0"),
                                HasSubstr("tenants.acme.colour: unknown key; a tenant is tenants.NAME"),
                                HasSubstr("tenants.a b: unknown key; a tenant is"), HasSubstr("tenants.weight: unknown key; a tenant is"),
                                HasSubstr("--set: must be from 1 to 100, is 101"), HasSubstr("--set: must be an integer")));
}

TEST_F(Load, TenantSettingsAreDescribed)
{
    EXPECT_THAT(describe_settings(sources_), HasSubstr("tenants.NAME.weight"));
    EXPECT_THAT(describe_settings(sources_), HasSubstr("idempotency.lifetime_ms = 86400000"));
}

TEST_F(Load, FewCoresStillRunFour)
{
    sources_.host.cores = 1;
    EXPECT_EQ(good().executions.max_running, 4);
}

TEST_F(Load, LaterSourcesWin)
{
    file("listen = \"127.0.0.1:1\"\non_shutdown = \"end\"\n[log]\nlevel = \"debug\"\n");
    sources_.environment = {{"CAISSON_LISTEN", "127.0.0.1:2"}, {"CAISSON_ON_SHUTDOWN", "keep"}};
    sources_.flags = {{"--listen", "listen", "[::1]:3"}};
    const auto config = good();
    EXPECT_EQ(config.listen_host, "::1");
    EXPECT_EQ(config.listen_port, 3);
    EXPECT_EQ(config.on_shutdown, shutdown_action::keep);
    EXPECT_EQ(config.log_threshold, log_level::debug);
}

TEST_F(Load, ReadsWholeTables)
{
    file(R"(
data_dir = "/srv/caisson"
[runtimes]
default = "auto"
[runtimes.bubblewrap]
uid_first = 200000
uid_count = 1000
[executions]
max_queued = 0
[limits.wall_ms]
min = 10
default = 20
max = 30
[http]
max_body_bytes = 4096
)");
    const auto config = good();
    EXPECT_EQ(config.data_dir, "/srv/caisson");
    EXPECT_EQ(config.bubblewrap.uid_first, 200'000);
    EXPECT_EQ(config.executions.max_queued, 0);
    EXPECT_EQ(config.limits.wall_ms.min, 10);
    EXPECT_EQ(config.limits.wall_ms.def, 20);
    EXPECT_EQ(config.limits.wall_ms.max, 30);
    EXPECT_EQ(config.http.max_body_bytes, 4'096);
}

TEST_F(Load, AllMistakesOfAllSourcesAtOnce)
{
    file("listen = 8320\ncolour = \"red\"\n[http]\nmax_headers = 1\n");
    sources_.environment = {{"CAISSON_LOG_LEVEL", "loud"}, {"CAISSON_TYPO", "1"}, {"OTHER", "x"}};
    sources_.flags = {{"--on-shutdown", "on_shutdown", "explode"}, {"--set nope", "nope", "1"}};
    EXPECT_THAT(mistakes(),
        ::testing::UnorderedElementsAre("c.toml:1:10: listen: must be a string", "c.toml:2:1: colour: unknown key",
            "c.toml:4:15: http.max_headers: must be from 8 to 10000, is 1", "CAISSON_LOG_LEVEL: must be one of debug, info, warning, error",
            "CAISSON_TYPO: no setting has this variable; unset it", "--on-shutdown: must be one of keep, end",
            "--set nope: nope: unknown key"));
}

TEST_F(Load, AFileThatIsNotThere)
{
    sources_.file = directory_ / "nothing.toml";
    EXPECT_THAT(mistakes(), ElementsAre("nothing.toml: the file cannot be read"));
}

TEST_F(Load, AFileThatIsTooLarge)
{
    file("# " + std::string(1 << 20, 'x'));
    EXPECT_THAT(mistakes(), ElementsAre("c.toml: the file is larger than 1 MiB"));
}

struct toml_case {
    std::string_view name;
    std::string_view text;
    std::string_view want;    // of the one mistake; empty: there is none
};
class LoadToml : public Load, public ::testing::WithParamInterface<toml_case> { };

TEST_P(LoadToml, NamesThePlace)
{
    const auto& c = GetParam();
    file(c.text);
    const auto found = mistakes();
    if (c.want.empty()) {
        EXPECT_THAT(found, ElementsAre());
        return;
    }
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0], HasSubstr(std::string(c.want)));
}

INSTANTIATE_TEST_SUITE_P(Cases, LoadToml,
    ::testing::Values(toml_case{"syntax", "listen = \n", "c.toml:1:10"}, toml_case{"twice", "log_level = 1\nlog_level = 2\n", "c.toml:2:"},
        toml_case{"unknown_in_table", "[http]\nspeed = 1\n", "c.toml:2:1: http.speed: unknown key"},
        toml_case{"unknown_table", "[nope]\nx = 1\n", "c.toml:1:2: nope: unknown key"},
        toml_case{"table_expected", "http = 1\n", "http: must be a table"},
        toml_case{"float_for_integer", "[http]\nmax_headers = 10.0\n", "http.max_headers: must be an integer"},
        toml_case{"text_for_boolean", "[runtimes.mock]\nenabled_for_tests = \"true\"\n", "must be true or false"},
        toml_case{"number_in_list", "[runtimes]\nenabled = [\"bubblewrap\", 1]\n", "runtimes.enabled: must be a list of strings"},
        toml_case{"text_for_list", "[runtimes]\nenabled = \"bubblewrap\"\n", "runtimes.enabled: must be a list of strings"},
        toml_case{"empty_path", "data_dir = \"\"\n", "data_dir: must be a path"},
        toml_case{"huge_integer", "[limits.pids]\nmax = 9223372036854775807\n", "limits.pids.max: must be from 1 to"},
        toml_case{"default_above_max", "[limits.pids]\nmax = 100\n", "c.toml:2:7: limits.pids: min 1, default 128, max 100"},
        toml_case{"min_above_max", "[limits.cpu_ms]\nmin = 50\nmax = 20\n", "c.toml:3:7: limits.cpu_ms: min 50, default 0, max 20"},
        toml_case{"zero_default_that_follows", "[limits.cpu_ms]\ndefault = 0\n", ""},
        toml_case{"zero_default_that_does_not", "[limits.wall_ms]\ndefault = 0\n", "limits.wall_ms.default: must be from 1"},
        toml_case{
            "uids_beyond_the_last", "[runtimes.bubblewrap]\nuid_first = 4293999999\nuid_count = 16777216\n", "beyond the last user id"},
        toml_case{"unknown_runtime", "[runtimes]\nenabled = [\"bubblewrap\", \"docker2\"]\n",
            "c.toml:2:11: runtimes.enabled: there is no runtime \"docker2\""},
        toml_case{"process_without_the_loud_name", "[runtimes]\nenabled = [\"bubblewrap\", \"process\"]\n",
            "i_know_this_runs_code_without_isolation"},
        toml_case{"mock_without_the_loud_name", "[runtimes]\nenabled = [\"bubblewrap\", \"mock\"]\n", "enabled_for_tests"},
        toml_case{"mock_as_default", "[runtimes]\ndefault = \"mock\"\n[runtimes.mock]\nenabled_for_tests = true\n", "is never a default"},
        toml_case{"default_not_enabled", "[runtimes]\ndefault = \"process\"\n", "\"process\" is not an enabled runtime"},
        toml_case{"engine_of_another_kind", "[docker]\nengine = \"http://host\"\n", "docker.engine: \"http://host\" is neither"},
        toml_case{"engine_certificate_alone", "[docker]\nkey_file = \"/k\"\n", "docker: certificate_file and key_file go together"},
        toml_case{"engine_far_away_by_socket", "[docker]\nengine = \"tcp://h:1\"\nlink = \"socket\"\n", "docker.link: \"socket\" needs"},
        toml_case{"link_of_another_kind", "[gvisor]\nlink = \"wire\"\n", "gvisor.link: must be one of auto, socket, stdio"},
        toml_case{"gvisor_by_socket", "[gvisor]\nlink = \"socket\"\n", "gvisor.link: gVisor lets no program"},
        toml_case{"root_in_containers", "[docker]\nuser = \"0:0\"\n", "docker.user: programs are never run as root"},
        toml_case{"user_without_group", "[docker]\nuser = \"1000\"\n", "docker.user: \"1000\" is not UID:GID"},
        toml_case{"prefix_with_a_slash", "[docker]\nname_prefix = \"a/\"\n", "docker.name_prefix: must be of letters"},
        toml_case{"pull_policy", "[images]\npull = \"sometimes\"\n", "images.pull: must be one of missing, always, never"},
        toml_case{"image_of_no_language", "[images]\nlanguages = [\"cobol=c:1\"]\n", "there is no language \"cobol\""},
        toml_case{"image_name", "[images]\nallowed = [\"a b\"]\n", "images.allowed: \"a b\" must be the name of an image"},
        toml_case{
            "login_without_password", "[images.credentials.\"r.example\"]\nusername = \"a\"\n", "username and password_file go together"},
        toml_case{"login_with_more", "[images.credentials.\"r.example\"]\npassword = \"a\"\n", "a registry is images.credentials.\"NAME\""},
        toml_case{"fallback_without_isolation",
            "[runtimes]\n[runtimes.process]\ni_know_this_runs_code_without_isolation = true\n"
            "[executions]\nfallback = [\"process\"]\n",
            "\"process\" is never a fallback"},
        toml_case{"fallback_not_enabled", "[executions]\nfallback = [\"gvisor\"]\n", "\"gvisor\" is not an enabled runtime"},
        toml_case{"fallback_with_images", "[runtimes]\nenabled = [\"bubblewrap\", \"docker\"]\n[executions]\nfallback = [\"docker\"]\n",
            "\"docker\" needs an image, and bubblewrap, the default, has none"},
        toml_case{"unknown_default", "[runtimes]\ndefault = \"gvisor\"\n", "\"gvisor\" is not an enabled runtime"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Load, TheProcessRuntimeByItsLoudNameInEachSource)
{
    file("[runtimes.process]\ni_know_this_runs_code_without_isolation = true\n");
    EXPECT_THAT(good().runtimes, ElementsAre("bubblewrap", "process"));
    sources_.file.reset();
    sources_.environment = {{"CAISSON_RUNTIMES_PROCESS_I_KNOW_THIS_RUNS_CODE_WITHOUT_ISOLATION", "true"}};
    EXPECT_THAT(good().runtimes, ElementsAre("bubblewrap", "process"));
    sources_.environment.clear();
    sources_.flags = {{"--allow-process-runtime-without-isolation", "runtimes.process.i_know_this_runs_code_without_isolation", "true"}};
    EXPECT_THAT(good().runtimes, ElementsAre("bubblewrap", "process"));
}

TEST_F(Load, TheProcessRuntimeAlone)
{
    file("[runtimes]\ndefault = \"process\"\nenabled = []\n[runtimes.process]\ni_know_this_runs_code_without_isolation = true\n");
    const auto config = good();
    EXPECT_THAT(config.runtimes, ElementsAre("process"));
    EXPECT_EQ(config.default_runtime, "process");
}

TEST_F(Load, ListsInVariablesAreSplitAtCommas)
{
    sources_.environment = {{"CAISSON_RUNTIMES_ENABLED", "bubblewrap, mock"}, {"CAISSON_RUNTIMES_MOCK_ENABLED_FOR_TESTS", "true"}};
    EXPECT_THAT(good().runtimes, ElementsAre("bubblewrap", "mock"));
}

TEST_F(Load, OtherVariablesAreLeftAlone)
{
    sources_.environment = {{"CAISSON_URL", "http://x"}, {"CAISSON_API_KEY", "k"}, {"CAISSON_CONFIG", "f"},
        {"CAISSON_PORT", "tcp://10.0.0.1:8320"}, {"CAISSON_SERVICE_HOST", "10.0.0.1"}, {"CAISSON_LISTEN", ""}};
    EXPECT_EQ(good().listen_port, 8320);
}

struct variable_case {
    std::string_view name;
    std::string variable;
    std::string value;
    std::string_view want;    // part of the mistake; empty: there is none
};
class LoadVariable : public Load, public ::testing::WithParamInterface<variable_case> { };

TEST_P(LoadVariable, IsChecked)
{
    const auto& c = GetParam();
    sources_.environment = {{c.variable, c.value}};
    const auto found = mistakes();
    ASSERT_EQ(found.size(), c.want.empty() ? 0u : 1u);
    if (!c.want.empty())
        EXPECT_THAT(found[0], HasSubstr(c.variable + ": " + std::string(c.want)));
}

INSTANTIATE_TEST_SUITE_P(Cases, LoadVariable,
    ::testing::Values(variable_case{"integer", "CAISSON_HTTP_MAX_HEADERS", "50", ""},
        variable_case{"integer_with_unit", "CAISSON_HTTP_MAX_HEADERS", "50k", "must be an integer"},
        variable_case{"integer_with_space", "CAISSON_HTTP_MAX_HEADERS", " 50", "must be an integer"},
        variable_case{"integer_overflow", "CAISSON_HTTP_MAX_HEADERS", "99999999999999999999", "must be an integer"},
        variable_case{"yes_is_not_true", "CAISSON_RUNTIMES_MOCK_ENABLED_FOR_TESTS", "yes", "must be true or false"},
        variable_case{"listen_name", "CAISSON_LISTEN", "localhost:80", ""},
        variable_case{"listen_no_port", "CAISSON_LISTEN", "localhost", "must be HOST:PORT"},
        variable_case{"listen_no_host", "CAISSON_LISTEN", ":80", "must be HOST:PORT"},
        variable_case{"listen_v6_bare", "CAISSON_LISTEN", "::1:80", "must be HOST:PORT"},
        variable_case{"listen_bracketed_name", "CAISSON_LISTEN", "[localhost]:80", "must be HOST:PORT"},
        variable_case{"listen_port_too_large", "CAISSON_LISTEN", "127.0.0.1:65536", "must be HOST:PORT"},
        variable_case{"listen_negative", "CAISSON_LISTEN", "127.0.0.1:-1", "must be HOST:PORT"},
        variable_case{"listen_space", "CAISSON_LISTEN", "a b:80", "must be HOST:PORT"}),
    [](const auto& info) { return std::string(info.param.name); });

struct data_dir_case {
    std::string_view name;
    bool is_root;
    std::map<std::string, std::string> environment;
    std::string_view want;
};
class DefaultDataDir : public ::testing::TestWithParam<data_dir_case> { };
TEST_P(DefaultDataDir, Is)
{
    const auto& c = GetParam();
    EXPECT_EQ(default_data_dir({.is_root = c.is_root, .cores = 1, .executable_dir = {}}, c.environment), c.want);
}
INSTANTIATE_TEST_SUITE_P(Cases, DefaultDataDir,
    ::testing::Values(data_dir_case{"root", true, {{"HOME", "/root"}}, "/var/lib/caisson"},
        data_dir_case{"home", false, {{"HOME", "/home/ann"}}, "/home/ann/.local/state/caisson"},
        data_dir_case{"state_home", false, {{"HOME", "/home/ann"}, {"XDG_STATE_HOME", "/s"}}, "/s/caisson"},
        data_dir_case{"relative_state_home", false, {{"HOME", "/home/ann"}, {"XDG_STATE_HOME", "s"}}, "/home/ann/.local/state/caisson"},
        data_dir_case{"nothing", false, {}, ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Load, WithoutAnyHomeTheDataDirectoryHasToBeSaid)
{
    sources_.host.is_root = false;
    ASSERT_EQ(mistakes().size(), 1u);
    EXPECT_THAT(mistakes()[0], HasSubstr("data_dir"));
    sources_.flags = {{"--data", "data_dir", "here"}};
    EXPECT_EQ(good().data_dir, std::filesystem::absolute("here"));
}

}    // namespace
}    // namespace caisson
