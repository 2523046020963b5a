#include "tests/app/wire/wire_fixture.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

/// A request that is refused; `body` is put between {"command":["a"], and }.
struct bad_case {
    std::string_view name;
    std::string body;
    std::string want;
};
void PrintTo(const bad_case& c, std::ostream* out) { *out << c.name; }
std::string name_of(const ::testing::TestParamInfo<bad_case>& info) { return std::string(info.param.name); }

std::string refusal(const std::string& body)
{
    const wire_fixture server;
    const auto out = parse_execution_request(body, server.context());
    return out ? "accepted" : told(out.error());
}

std::string repeated(std::string_view part, int times)
{
    std::string out;
    for (int i = 0; i < times; ++i)
        out += part;
    return out;
}

/// Members of an object: "d0/f":"","d1/f":"", …
std::string numbered_files(const std::string& before, int count, const std::string& behind)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += (i == 0 ? "\"" : ",\"") + before + std::to_string(i) + behind + "\":\"\"";
    return out;
}

class BadField : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadField, IsNamedWithItsLimit)
{
    EXPECT_EQ(refusal(R"({"command":["a"],)" + GetParam().body + "}"), "bad_request: " + GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Types, BadField,
    ::testing::Values(bad_case{"unknown", R"("comand":1)", "comand is not a known field"},
        bad_case{"args", R"("args":"x")", "args must be an array"}, bad_case{"args_item", R"("args":["x",1])", "args[1] must be a string"},
        bad_case{"env", R"("env":[])", "env must be an object"}, bad_case{"env_value", R"("env":{"A":null})", "env.A must be a string"},
        bad_case{"files", R"("files":[])", "files must be an object"},
        bad_case{"file", R"("files":{"a":1})", "files.a must be a string, or an object with either text or base64"},
        bad_case{"file_object", R"("files":{"a":{"hex":"00"}})",
            "files.a must be a string, or an object with either text or base64; files.a.hex is not a known field"},
        bad_case{"file_mode", R"("files":{"a":{"text":"","mode":"4755"}})",
            "files.a.mode must be a string of three or four octal digits between \"0000\" and \"0777\""},
        bad_case{"file_base64", R"("files":{"a":{"base64":"x"}})", "files.a.base64 must be base64 with its padding"},
        bad_case{"cwd", R"("cwd":1)", "cwd must be a string"},
        bad_case{"stdin", R"("stdin":[])", "stdin must be a string or {\"base64\": \"…\"}"},
        bad_case{"stdin_open", R"("stdin_open":"yes")", "stdin_open must be true or false"},
        bad_case{"pty", R"("pty":true)", "pty must be an object"}, bad_case{"limits", R"("limits":null)", "limits must be an object"},
        bad_case{"labels", R"("labels":"a=b")", "labels must be an object"},
        bad_case{"wait", R"("wait":"false")", "wait must be true or false"},
        bad_case{"runtime", R"("runtime":null)", "runtime must be a string"},
        bad_case{"network", R"("network":"none")", "network must be an object"},
        bad_case{"idempotent", R"("idempotent":1)", "idempotent must be true or false"},
        bad_case{"priority", R"("priority":"high")", "priority must be a whole number between -1000000 and 1000000"},
        bad_case{"disconnect", R"("cancel_on_disconnect":0)", "cancel_on_disconnect must be true or false"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Limits, BadField,
    ::testing::Values(
        bad_case{"zero", R"("limits":{"memory_bytes":0})", "limits.memory_bytes must be a whole number between 16777216 and 17179869184"},
        bad_case{"negative", R"("limits":{"pids":-1})", "limits.pids must be a whole number between 1 and 4096"},
        bad_case{"absurd", R"("limits":{"wall_ms":9223372036854775807})", "limits.wall_ms must be a whole number between 100 and 3600000"},
        bad_case{"beyond_64_bits", R"("limits":{"wall_ms":99999999999999999999})",
            "limits.wall_ms must be a whole number between 100 and 3600000"},
        bad_case{"unsigned", R"("limits":{"disk_bytes":18446744073709551615})",
            "limits.disk_bytes must be a whole number between 1048576 and 17179869184"},
        bad_case{"fraction", R"("limits":{"inodes":100.5})", "limits.inodes must be a whole number between 64 and 1048576"},
        bad_case{"float", R"("limits":{"open_files":100.5})", "limits.open_files must be a whole number between 16 and 4096"},
        bad_case{
            "text", R"("limits":{"memory_bytes":"512Mi"})", "limits.memory_bytes must be a whole number between 16777216 and 17179869184"},
        bad_case{
            "output", R"("limits":{"max_output_bytes":1})", "limits.max_output_bytes must be a whole number between 1024 and 1073741824"},
        bad_case{"cpus_zero", R"("limits":{"cpus":0})", "limits.cpus must be a number between 0.01 and 64"},
        bad_case{"cpus_too_few", R"("limits":{"cpus":0.009})", "limits.cpus must be a number between 0.01 and 64"},
        bad_case{"cpus_too_many", R"("limits":{"cpus":64.001})", "limits.cpus must be a number between 0.01 and 64"},
        bad_case{"cpus_absurd", R"("limits":{"cpus":1e300})", "limits.cpus must be a number between 0.01 and 64"},
        bad_case{"cpus_text", R"("limits":{"cpus":"500m"})", "limits.cpus must be a number between 0.01 and 64"},
        bad_case{"unknown", R"("limits":{"memory":1})", "limits.memory is not a known field"},
        bad_case{"pty_cols", R"("pty":{"cols":0})", "pty.cols must be a whole number between 1 and 1000"},
        bad_case{"pty_rows", R"("pty":{"rows":1001})", "pty.rows must be a whole number between 1 and 1000"},
        bad_case{"pty_unknown", R"("pty":{"width":80})", "pty.width is not a known field"},
        bad_case{"output_action", R"("on_output_limit":"drop")", R"(on_output_limit must be one of "truncate", "kill")"},
        bad_case{"disabled_runtime", R"("runtime":"process")", "runtime is not enabled on this server; enabled: bubblewrap, mock"},
        bad_case{"network_without_mode", R"("network":{})", "network.mode is required"},
        bad_case{"network_mode_type", R"("network":{"mode":1})", "network.mode must be a string"},
        bad_case{"network_unknown", R"("network":{"mode":"none","dns":1})", "network.dns is not a known field"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Texts, BadField,
    ::testing::Values(bad_case{"nul_in_args", R"("args":["a\u0000b"])", "args[0] must not contain NUL"},
        bad_case{"nul_in_env", R"("env":{"A":"\u0000"})", "env.A must not contain NUL"},
        bad_case{"nul_in_cwd", R"("cwd":"a\u0000b")", "cwd must not contain NUL"},
        bad_case{"nul_in_label", R"("labels":{"a":"\u0000"})", "labels.a must not contain NUL"},
        bad_case{"empty_variable", R"("env":{"":"x"})", "env must not have an empty name"},
        bad_case{"equals_in_variable", R"("env":{"A=B":"x"})", "env.A=B must not have \"=\" in its name"},
        bad_case{"label_name", R"("labels":{"a b":"x"})", "labels.a b must have a name of letters, digits and . _ / -"},
        bad_case{"label_name_empty", R"("labels":{"":"x"})", "labels must have a name of 1 to 63 characters"},
        bad_case{"label_name_long", R"("labels":{")" + std::string(64, 'a') + R"(":"x"})",
            "labels." + std::string(64, 'a') + " must have a name of 1 to 63 characters"},
        bad_case{"label_value", R"("labels":{"a":")" + std::string(256, 'x') + "\"}", "labels.a must be at most 255 bytes long, not 256"},
        bad_case{"cwd_empty", R"("cwd":"")", "cwd must not be empty"},
        bad_case{"cwd_escape", R"("cwd":"../x")", "cwd must not contain \"..\""},
        bad_case{"cwd_absolute_escape", R"("cwd":"/workspace/../etc")", "cwd must not contain \"..\""},
        bad_case{"cwd_long", R"("cwd":")" + std::string(4'097, 'a') + '"', "cwd must be at most 4096 bytes long, not 4097"},
        bad_case{"entry_without_code", R"("entry":"a.py")", "entry has a meaning with code only"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Files, BadField,
    ::testing::Values(bad_case{"absolute", R"("files":{"/etc/passwd":""})", "files./etc/passwd must be relative to the working directory"},
        bad_case{"escape", R"("files":{"../x":""})", "files.../x must not contain \"..\""},
        bad_case{"escape_inside", R"("files":{"a/../../x":""})", "files.a/../../x must not contain \"..\""},
        bad_case{"harmless_dots_too", R"("files":{"a/../b":""})", "files.a/../b must not contain \"..\""},
        bad_case{"empty", R"("files":{"":""})", "files. must not be empty"},
        bad_case{"dot", R"("files":{".":""})", "files.. must name a file, not a directory"},
        bad_case{"directory", R"("files":{"a/":""})", "files.a/ must name a file, not a directory"},
        bad_case{"directory_dot", R"("files":{"a/.":""})", "files.a/. must name a file, not a directory"},
        bad_case{"nul", R"("files":{"a\u0000":""})", std::string("files.a\0 must not contain NUL", 29)},
        bad_case{"component", R"("files":{")" + std::string(256, 'a') + R"(":""})",
            "files." + std::string(64, 'a') + "… must have names of at most 255 bytes"},
        bad_case{"long", R"("files":{"a)" + std::string(4'096, '/') + R"(b":""})",
            "files.a" + std::string(63, '/') + "… must be at most 4096 bytes long"},
        bad_case{
            "deep", R"("files":{")" + repeated("a/", 64) + R"(b":""})", "files." + repeated("a/", 32) + "… must be at most 64 levels deep"},
        bad_case{"same", R"("files":{"a":"","./a":""})", "files../a is the same file as files.a"},
        bad_case{"file_in_file", R"("files":{"a/b":"","a-b":"","a":""})", "files.a/b lies in files.a, which is a file"},
        bad_case{"too_large", R"("limits":{"disk_bytes":1048576},"files":{"a":")" + std::string((1 << 20) + 1, 'x') + "\"}",
            "files take 1052672 bytes of disk, limits.disk_bytes is 1048576"},
        bad_case{"too_many_inodes", R"("limits":{"inodes":64},"files":{)" + numbered_files("d", 33, "/f") + "}",
            "files take 66 inodes, limits.inodes is 64"},
        bad_case{"too_many", R"("files":{)" + numbered_files("", 1'001, "") + "}", "files must hold at most 1000 files, not 1001"}),
    name_of);

TEST(BadCounts, AreNamed)
{
    std::string args = "\"\"" + repeated(",\"\"", 4'096);
    const auto env = numbered_files("v", 1'001, "");
    const auto labels = numbered_files("l", 65, "");
    EXPECT_EQ(refusal(R"({"command":["a"],"args":[)" + args + "]}"), "bad_request: args must have at most 4096 items, not 4097");
    EXPECT_EQ(refusal(R"({"command":["a"],"env":{)" + env + "}}"), "bad_request: env must have at most 1000 members, not 1001");
    EXPECT_EQ(refusal(R"({"command":["a"],"labels":{)" + labels + "}}"), "bad_request: labels must have at most 64 members, not 65");
}

/// Whole bodies: what is to run.
class BadProgram : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadProgram, IsNamed) { EXPECT_EQ(refusal(GetParam().body), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, BadProgram,
    ::testing::Values(bad_case{"nothing", "{}", "bad_request: skill is required, or command, or shell, or language with code"},
        bad_case{"two", R"({"command":["a"],"shell":"b"})", "bad_request: shell cannot be combined with command"},
        bad_case{"two_with_code", R"({"shell":"b","code":"c","language":"py"})",
            "bad_request: code cannot be combined with shell; language cannot be combined with shell"},
        bad_case{"language_with_command", R"({"command":["a"],"language":"py"})", "bad_request: language cannot be combined with command"},
        bad_case{"all", R"({"command":["a"],"shell":"b","code":"c","language":"py","skill":"s","entry":"e"})",
            "bad_request: shell cannot be combined with command; code cannot be combined with command; language cannot be combined with "
            "command; entry has a meaning with code only"},
        bad_case{"empty_command", R"({"command":[]})", "bad_request: command must name a program first"},
        bad_case{"empty_program", R"({"command":[""]})", "bad_request: command must name a program first"},
        bad_case{"command_text", R"({"command":"ls"})", "bad_request: command must be an array"},
        bad_case{"command_item", R"({"command":[1]})", "bad_request: command[0] must be a string"},
        bad_case{"nul_in_command", R"({"command":["a","\u0000"]})", "bad_request: command[1] must not contain NUL"},
        bad_case{"empty_shell", R"({"shell":""})", "bad_request: shell must not be empty"},
        bad_case{"shell_type", R"({"shell":["a"]})", "bad_request: shell must be a string"},
        bad_case{"long_shell", R"({"shell":")" + std::string(131'073, 'x') + "\"}",
            "bad_request: shell must be at most 131072 bytes long, not 131073"},
        bad_case{"code_without_language", R"({"code":"1"})", "bad_request: language is required with code"},
        bad_case{"language_without_code", R"({"language":"py"})", "bad_request: code is required with language"},
        bad_case{"unknown_language", R"({"language":"cobol","code":""})", "bad_request: language is not known; available: bash, python"},
        bad_case{"missing_language", R"({"language":"js","code":""})",
            "bad_request: language is not installed on this server (the Debian package nodejs); available: bash, python"},
        bad_case{"compile_of_what_is_not_compiled", R"({"language":"py","code":"","compile":{}})",
            "bad_request: compile has a meaning only with a language that is compiled"},
        bad_case{"compiler_of_what_is_not_compiled", R"({"language":"py","code":"","compiler":{}})",
            "bad_request: compiler has a meaning only with a language that is compiled"},
        bad_case{"compiler_of_a_command", R"({"command":["a"],"compiler":{}})", "bad_request: compiler has a meaning with code only"},
        bad_case{"compile_of_a_command", R"({"command":["a"],"compile":{}})", "bad_request: compile has a meaning with code only"},
        bad_case{"nul_in_code", R"({"language":"py","code":"\u0000"})", "bad_request: code must not contain NUL"},
        bad_case{"entry_escape", R"({"language":"py","code":"","entry":"../x.py"})", "bad_request: entry must not contain \"..\""},
        bad_case{"entry_twice", R"({"language":"py","code":"","entry":"x.py","files":{"x.py":""}})",
            "bad_request: entry is the same file as files.x.py"},
        bad_case{
            "code_twice", R"({"language":"py","code":"","files":{"main.py":""}})", "bad_request: code is the same file as files.main.py"},
        bad_case{"not_an_object", "[]", "bad_request: body must be a JSON object"}),
    name_of);

struct told_case {
    std::string_view name;
    std::string body;
    std::string_view want;
};
void PrintTo(const told_case& c, std::ostream* out) { *out << c.name; }

/// The sentence for people, where clients of the skill runner's contract know its words.
class Told : public ::testing::TestWithParam<told_case> { };
TEST_P(Told, BeginsWithTheWordsOfTheContract)
{
    const wire_fixture server;
    const auto out = parse_execution_request(GetParam().body, server.context());
    EXPECT_EQ(out ? "accepted" : out.error().detail, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, Told,
    ::testing::Values(told_case{"nothing", "{}", "'skill' is required, or command, or shell, or language with code"},
        told_case{"version_only", R"({"version":"1.0.0"})", "'skill' is required"},
        told_case{"input_only", R"({"input":null})", "'skill' is required"}, told_case{"empty", R"({"skill":""})", "'skill' is required"},
        told_case{"null", R"({"skill":null,"input":{}})", "'skill' is required"},
        told_case{"with_others", R"({"env":1})", "env must be an object; 'skill' is required, or command, or shell, or language with code"},
        told_case{"cut", "{", "invalid JSON body: it ends too early at line 1, column 2"},
        told_case{"no_object", "[]", "invalid JSON body: it must be an object"}),
    [](const auto& info) { return std::string(info.param.name); });

class Later : public ::testing::TestWithParam<bad_case> { };
TEST_P(Later, IsNotImplemented) { EXPECT_EQ(refusal(GetParam().body), "not_implemented: " + GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Later,
    ::testing::Values(bad_case{"sandbox", R"({"command":["a"],"sandbox_id":"sbx_1"})", "sandbox_id is not available in this version"},
        bad_case{"user", R"({"command":["a"],"user":"root"})", "user is not available in this version"},
        bad_case{"priority", R"({"command":["a"],"priority":5})", "priority other than 0 is not available in this version"},
        bad_case{"network", R"({"command":["a"],"network":{"mode":"allow","allow_hosts":["x"]}})",
            "network.mode other than \"none\" is not available in this version; network.allow_hosts is not available in this version"}),
    name_of);

}    // namespace

}    // namespace caisson::wire
