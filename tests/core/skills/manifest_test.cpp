#include "adapters/schema/json_schema.hpp"
#include "adapters/yaml/yaml_reader.hpp"
#include "core/skills/package_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

package_rules usual_rules()
{
    package_rules rules;
    rules.images = {"python:3.12-slim", "bash:5"};
    rules.runtimes = {"bubblewrap", "mock"};
    rules.read_yaml = &read_yaml;
    rules.check_schema = &check_json_schema;
    return rules;
}

/// A name that ends with '*' is that of a program.
package_index package_of(std::string skill_md, std::vector<std::string> files = {"main.py"})
{
    package_index index;
    index.format = "zip";
    index.skill_md = std::move(skill_md);
    files.emplace_back("SKILL.md");
    std::ranges::sort(files);
    for (const auto& each : files) {
        const bool program = each.ends_with('*');
        index.entries.push_back({each.substr(0, each.size() - (program ? 1 : 0)), 1, program ? 0755U : 0644U});
    }
    return index;
}

std::string with(std::string_view more)
{
    return "---\nname: wc\nversion: 1.0.0\ndescription: Counts.\n" + std::string(more) + "\n---\nBody\n";
}

result<checked_package> check(std::string_view more, std::vector<std::string> files = {"main.py"})
{
    return check_package(package_of(with(more), std::move(files)), usual_rules());
}

std::string fault_of(const result<checked_package>& checked) { return checked.has_error() ? checked.error().detail : "no fault"; }

struct fault_case {
    std::string_view name;
    std::string_view more;
    std::string_view want;    // the whole text behind "invalid skill: "; with "…" at the end its begin
};
class Manifest : public ::testing::TestWithParam<fault_case> { };

TEST_P(Manifest, FaultIsTold)
{
    const auto& c = GetParam();
    const auto checked = check(c.more);
    ASSERT_TRUE(checked.has_error());
    EXPECT_EQ(checked.error().code, errc::invalid_skill);
    const auto want = "invalid skill: " + std::string(c.want);
    const bool begin = want.ends_with("…");
    const auto length = begin ? want.size() - std::string_view("…").size() : std::string::npos;
    EXPECT_EQ(checked.error().detail.substr(0, length), want.substr(0, length));
}

INSTANTIATE_TEST_SUITE_P(Cases, Manifest,
    ::testing::Values(fault_case{"lang", "lang: ruby", R"(lang "ruby" is not supported (use python, node, or bash))"},
        fault_case{"mode", "mode: fast", R"(mode "fast" is not supported (use executable or cognitive))"},
        fault_case{"timeout", "timeout: 60", R"(parse timeout "60": time: missing unit in duration "60")"},
        fault_case{"timeout_word", "timeout: soon", R"(parse timeout "soon": time: invalid duration "soon")"},
        fault_case{"timeout_zero", "timeout: 0s", R"(timeout "0s" must be between 100ms and 10m0s)"},
        fault_case{"timeout_negative", "timeout: -5s", R"(timeout "-5s" must be between 100ms and 10m0s)"},
        fault_case{"timeout_long", "timeout: 11m", R"(timeout "11m" must be between 100ms and 10m0s)"},
        fault_case{"memory_word", "resources: {memory: abc}",
            R"(resources.memory "abc" must be a whole number of bytes, or one with Ki, Mi or Gi)"},
        fault_case{"memory_zero", "resources: {memory: 0}", R"(resources.memory "0" must be greater than 0)"},
        fault_case{"memory_little", "resources: {memory: 1Ki}", R"(resources.memory "1Ki" must be between 16Mi and 16Gi)"},
        fault_case{"memory_beyond_numbers", "resources: {memory: 99999999999999999999Gi}",
            R"(resources.memory "99999999999999999999Gi" is too large)"},
        fault_case{"memory_much", "resources: {memory: 17Gi}", R"(resources.memory "17Gi" must be between 16Mi and 16Gi)"},
        fault_case{
            "cpu_milli", "resources: {cpu: 500m}", R"(resources.cpu "500m" must be a decimal number of processors such as "0.5" or "2")"},
        fault_case{"cpu_many", "resources: {cpu: 65}", R"(resources.cpu "65" must be between 0.01 and 64)"},
        fault_case{"resources_text", "resources: much", "parse frontmatter YAML: line 5: resources must be a map"},
        fault_case{"image_unknown_and_more", "image: evil\nmode: x",
            R"(mode "x" is not supported (use executable or cognitive); image "evil" is not in the allowlist (allowed: python:3.12-slim, bash:5))"},
        fault_case{"entrypoint_missing", "entrypoint: run.rb", R"(entrypoint "run.rb" is not a file of the package; lang is required)"},
        fault_case{"entrypoint_outside", "entrypoint: ../main.py\nlang: python", R"(entrypoint "../main.py" is not a file of the package)"},
        fault_case{"entrypoint_of_another_lang", "entrypoint: main.py\nlang: bash", R"(entrypoint "main.py" does not fit lang "bash")"},
        fault_case{"found_entry_of_another_lang", "lang: bash", R"(entrypoint "main.py" does not fit lang "bash")"},
        fault_case{
            "entrypoint_and_command", "lang: python\nentrypoint: main.py\ncommand: [ls]", "entrypoint and command cannot both be said"},
        fault_case{"command_empty", "lang: python\ncommand: []", "command must be a list of 1 to 64 texts of 1 to 4096 bytes each…"},
        fault_case{"command_map", "lang: python\ncommand: {a: b}", "parse frontmatter YAML: line 6: command must be a list of texts"},
        fault_case{"command_of_lists", "lang: python\ncommand: [[a]]", "parse frontmatter YAML: line 6: command must be a list of texts…"},
        fault_case{"env_path", "env: {PATH: /x}", R"(env var "PATH" is not allowed)"},
        fault_case{"env_prefix", "env: {sandbox_x: 1}", R"(env var "sandbox_x" is not allowed)"},
        fault_case{"env_name", "env: {a-b: 1}",
            R"(the name of env var "a-b" must be letters, digits and '_', the first no digit; at most 128 of them)"},
        fault_case{"env_list", "env: [a]", "parse frontmatter YAML: line 5: env must be a map"},
        fault_case{"network", "network: bridge", R"(network must be "none": skills run without a network)"},
        fault_case{"network_map", "network: {mode: host}", R"(network must be "none": skills run without a network)"},
        fault_case{"network_list", "network: [none]", R"(network must be "none": skills run without a network)"},
        fault_case{"retry_attempts", "retry: {attempts: 0}", "retry.attempts must be a whole number between 1 and 10"},
        fault_case{"retry_attempts_text", "retry: {attempts: '2'}", "retry.attempts must be a whole number between 1 and 10"},
        fault_case{"name_empty", "lang: python\nretry: {on: ['']}", "retry.on must be a list of 1 to 8 texts of 1 to 64 bytes each…"},
        fault_case{"retry_delay", "retry: {first_delay: 5}", R"(parse retry.first_delay "5": time: missing unit in duration "5")"},
        fault_case{"retry_delay_long", "retry: {max_delay: 2h}", R"(retry.max_delay "2h" must be between 0s and 10m0s)"},
        fault_case{"retry_delays", "retry: {first_delay: 5s, max_delay: 1s}", "retry.max_delay must not be shorter than retry.first_delay"},
        fault_case{"retry_multiplier", "retry: {multiplier: 0.5}", "retry.multiplier must be a number between 1 and 10"},
        fault_case{"retry_fault", "retry: {on: [everything]}",
            R"(retry.on "everything" must be one of runtime_unavailable, image_pull, agent_unreachable, agent_lost, program)"},
        fault_case{"retry_limit_is_no_fault", "retry: {on: [limit]}", R"(retry.on "limit" must be one of…)"},
        fault_case{"retry_of_a_lost_run", "retry: {on: [agent_lost]}",
            "retry.on agent_lost needs idempotent: true, since the program may have started"},
        fault_case{"retry_code", "retry: {exit_codes: [0]}", "retry.exit_codes must be a list of at most 50 numbers between 1 and 255"},
        fault_case{"idempotent", "idempotent: maybe", "idempotent must be true or false"},
        fault_case{"schema", "inputs: {type: nothing}",
            "inputs is no JSON Schema: #/type: must be null, boolean, object, array, number, integer or string, or a list of them"},
        fault_case{"schema_with_more_mistakes", "lang: python\ninputs: {type: text, required: x, items: {minimum: a}}",
            "inputs is no JSON Schema: #/type: must be null, boolean, object, array, number, integer or string, or a list of them; "
            "#/required: must be a list of texts; #/items/minimum: must be a number"},
        fault_case{"schema_remote", "outputs: {$ref: 'http://x/y'}", R"(outputs is no JSON Schema: #/$ref: "http://x/y" is not fetched…)"},
        fault_case{"schema_text", "inputs: everything", "parse frontmatter YAML: line 5: inputs must be a map"},
        fault_case{"artifacts_up", "artifacts: [../x]", R"(artifacts "../x" must be a relative pattern…)"},
        fault_case{"artifacts_absolute", "artifacts: /x", R"(artifacts "/x" must be a relative pattern…)"},
        fault_case{"runtime", "runtime: docker", R"(runtime "docker" is not enabled on this server (there are: bubblewrap, mock))"},
        fault_case{"version_is_a_list", "timeout: [1]", "parse frontmatter YAML: line 5: timeout must be a text…"},
        fault_case{"key_twice", "name: b", R"(parse frontmatter YAML: line 5: mapping key "name" already defined)"},
        fault_case{"anchor", "image: &a x", "parse frontmatter YAML: line 5: anchors (&name) are not allowed"},
        fault_case{"alias", "image: *a", "parse frontmatter YAML: line 5: …"},
        fault_case{"syntax", "a: [b", "parse frontmatter YAML: line …"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Manifest, EveryFieldIsRead)
{
    const auto checked = check(R"(lang: python
image: python:3.12-slim
timeout: 1m30s
resources: {memory: 256Mi, cpu: 0.5}
entrypoint: ./tool.py
env: {LEVEL: 2, EMPTY: , QUOTED: "true"}
network: none
retry: {attempts: 3, first_delay: 1s, multiplier: 1.5, max_delay: 20s, on: [program, image_pull], exit_codes: [75, 111]}
idempotent: true
inputs: {type: object, required: [text], properties: {text: {type: string, minLength: 1}}}
outputs: {type: object}
artifacts: ["*.txt", "nested/**"]
runtime: bubblewrap)",
        {"tool.py"});
    ASSERT_TRUE(checked.has_value()) << checked.error().detail;
    const auto& manifest = checked->manifest;
    EXPECT_EQ(manifest.name, "wc");
    EXPECT_EQ(manifest.version, "1.0.0");
    EXPECT_EQ(manifest.description, "Counts.");
    EXPECT_EQ(manifest.lang, "python");
    EXPECT_EQ(manifest.image, "python:3.12-slim");
    EXPECT_EQ(manifest.instructions, "Body");
    EXPECT_EQ(manifest.mode, "executable");
    EXPECT_EQ(manifest.timeout_ms, 90'000);
    EXPECT_EQ(manifest.timeout_text, "1m30s");
    EXPECT_EQ(manifest.memory_bytes, 256 << 20);
    EXPECT_EQ(manifest.cpu_milli, 500);
    EXPECT_EQ(manifest.cpu_text, "0.5");
    EXPECT_EQ(manifest.entrypoint, "tool.py");
    EXPECT_EQ(manifest.env, (std::map<std::string, std::string>{{"LEVEL", "2"}, {"EMPTY", ""}, {"QUOTED", "true"}}));
    EXPECT_EQ(manifest.retry, (retry_policy{3, 1'000, 1.5, 20'000, {attempt_fault::program, attempt_fault::image_pull}, {75, 111}}));
    EXPECT_TRUE(manifest.idempotent);
    EXPECT_EQ(manifest.input_schema, R"({"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1}}})");
    EXPECT_EQ(manifest.output_schema, R"({"type":"object"})");
    EXPECT_EQ(manifest.artifacts, (std::vector<std::string>{"*.txt", "nested/**"}));
    EXPECT_EQ(manifest.runtime, "bubblewrap");
    EXPECT_TRUE(checked->notes.empty());
}

TEST(Manifest, UnknownKeysAreNotedOnly)
{
    const auto checked = check("colour: red\nresources: {gpu: 1}");
    ASSERT_TRUE(checked.has_value()) << checked.error().detail;
    EXPECT_EQ(checked->notes, (std::vector<std::string>{R"("resources.gpu" is not a known field of SKILL.md and has no effect)",
                                  R"("colour" is not a known field of SKILL.md and has no effect)"}));
}

TEST(Manifest, AllMistakesComeAtOnce)
{
    auto index = package_of("---\nlang: cobol\n---\n");
    index.mistakes = {"an entry is a device: x"};
    EXPECT_EQ(fault_of(check_package(index, usual_rules())),
        "invalid skill: an entry is a device: x; name is required; description is required; "
        "lang \"cobol\" is not supported (use python, node, or bash)");
}

TEST(Manifest, NothingAtAllIsToldInTheReferencesWords)
{
    EXPECT_EQ(
        fault_of(check_package(package_of("---\n\n---\n"), usual_rules())), "invalid skill: name is required; description is required");
    EXPECT_EQ(fault_of(check_package(package_of("---\n- a\n---\n"), usual_rules())),
        "invalid skill: parse frontmatter YAML: it must be a map of keys and values");
    EXPECT_EQ(
        fault_of(check_package(package_of("# x"), usual_rules())), "invalid skill: SKILL.md must begin with '---' frontmatter delimiter");
}

TEST(Manifest, SkillMdMustBeThereAsText)
{
    auto index = package_of("");
    index.skill_md.reset();
    EXPECT_EQ(fault_of(check_package(index, usual_rules())).substr(0, 52), "invalid skill: SKILL.md not found in archive (it mus");
    EXPECT_EQ(fault_of(check_package(package_of("---\nname: \xFF\n---\n"), usual_rules())), "invalid skill: SKILL.md is not UTF-8 text");
    EXPECT_EQ(fault_of(check_package(package_of(with("") + std::string(100'000, 'x')), usual_rules())),
        "invalid skill: the text of SKILL.md behind the front matter has 100005 bytes; at most 98304 are taken");
    EXPECT_EQ(fault_of(check_package(package_of(with("x: " + std::string(70'000, 'x'))), usual_rules())),
        "invalid skill: parse frontmatter YAML: is 70048 bytes; at most 65536 are read");
}

struct text_case {
    std::string_view name;
    std::string_view version;
    std::string_view want;    // empty: taken
};
class VersionText : public ::testing::TestWithParam<text_case> { };
TEST_P(VersionText, IsTakenAsItIsWritten)
{
    const auto text = "---\nname: wc\ndescription: x\nversion: " + std::string(GetParam().version) + "\n---\n";
    const auto checked = check_package(package_of(text), usual_rules());
    EXPECT_EQ(fault_of(checked), GetParam().want.empty() ? "no fault" : "invalid skill: " + std::string(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(Cases, VersionText,
    ::testing::Values(text_case{"three_parts", "1.0.0", ""}, text_case{"quoted", "'1.0.0'", ""},
        text_case{"float", "1.10", R"(version "1.10" must be semver (MAJOR.MINOR.PATCH))"},
        text_case{"number", "2", R"(version "2" must be semver (MAJOR.MINOR.PATCH))"},
        text_case{"truth", "true", R"(version "true" must be semver (MAJOR.MINOR.PATCH))"}),
    [](const auto& info) { return std::string(info.param.name); });

struct skill_name_case {
    std::string_view test;
    std::string name;
    bool good;
};
class SkillName : public ::testing::TestWithParam<skill_name_case> { };
TEST_P(SkillName, IsOfPlainCharacters)
{
    const auto text = "---\nname: \"" + GetParam().name + "\"\ndescription: x\nversion: 1.0.0\n---\n";
    const auto detail = fault_of(check_package(package_of(text), usual_rules()));
    EXPECT_EQ(detail == "no fault", GetParam().good) << detail;
    if (!GetParam().good)
        EXPECT_NE(detail.find("contains invalid characters ("), std::string::npos) << detail;
}
INSTANTIATE_TEST_SUITE_P(Cases, SkillName,
    ::testing::Values(skill_name_case{"usual", "word-counter", true}, skill_name_case{"all", "A1._-z", true},
        skill_name_case{"one", "a", true}, skill_name_case{"longest", std::string(128, 'a'), true},
        skill_name_case{"too_long", std::string(129, 'a'), false}, skill_name_case{"dot_first", ".a", false},
        skill_name_case{"hyphen_first", "-a", false}, skill_name_case{"traversal", "../other/x", false},
        skill_name_case{"slash", "a/b", false}, skill_name_case{"space", "a b", false}, skill_name_case{"umlaut", "zähler", false}),
    [](const auto& info) { return std::string(info.param.test); });

struct entry_case {
    std::string_view name;
    std::string_view more;
    std::vector<std::string> files;
    std::string_view entry;
    std::string_view lang;
    std::string_view fault = "";
};
class EntryPoint : public ::testing::TestWithParam<entry_case> { };
TEST_P(EntryPoint, IsFound)
{
    const auto& c = GetParam();
    const auto checked = check(c.more, c.files);
    if (!c.fault.empty()) {
        EXPECT_EQ(fault_of(checked), "invalid skill: " + std::string(c.fault));
        return;
    }
    ASSERT_TRUE(checked.has_value()) << checked.error().detail;
    EXPECT_EQ(checked->manifest.entrypoint, c.entry);
    EXPECT_EQ(checked->manifest.lang, c.lang);
}

constexpr std::string_view no_entry =
    "no recognized entrypoint found in archive (expected one of: main.py, run.py, main.js, main.sh, in the root or in scripts/)";

INSTANTIATE_TEST_SUITE_P(Cases, EntryPoint,
    ::testing::Values(entry_case{"root", "lang: python", {"main.py"}, "main.py", "python"},
        entry_case{"run", "lang: python", {"run.py"}, "run.py", "python"},
        entry_case{"main_before_run", "lang: python", {"main.py", "run.py"}, "main.py", "python"},
        entry_case{"scripts", "lang: python", {"scripts/main.py"}, "scripts/main.py", "python"},
        entry_case{"root_before_scripts", "lang: python", {"run.py", "scripts/main.py"}, "run.py", "python"},
        entry_case{"that_of_the_language", "lang: bash", {"main.py", "scripts/main.sh"}, "scripts/main.sh", "bash"},
        entry_case{"language_from_it", "", {"main.sh"}, "main.sh", "bash"},
        entry_case{"named_in_a_directory", "entrypoint: src/tool.py", {"src/tool.py"}, "src/tool.py", "python"},
        entry_case{"named_without_ending", "lang: bash\nentrypoint: tool", {"tool"}, "tool", "bash"},
        entry_case{"command_only", "lang: bash\ncommand: [./tool, -x]", {"tool*"}, "", "bash"},
        entry_case{"command_in_a_directory", "lang: bash\ncommand: bin/tool", {"bin/tool*"}, "", "bash"},
        entry_case{"command_of_the_host", "lang: bash\ncommand: [/usr/bin/env, ls]", {}, "", "bash"},
        entry_case{"command_in_path", "lang: bash\ncommand: sed", {}, "", "bash"},
        entry_case{"command_that_is_missing", "lang: bash\ncommand: scripts/x", {"x*"}, "", "",
            R"(command "scripts/x" is not a file of the package)"},
        entry_case{"command_outside", "lang: bash\ncommand: ../x", {"x*"}, "", "", R"(command "../x" is not a file of the package)"},
        entry_case{"command_that_cannot_run", "lang: bash\ncommand: ./tool", {"tool"}, "", "",
            R"(command "./tool" is not executable in the archive: chmod +x it, or name its interpreter first)"},
        entry_case{"cognitive", "mode: cognitive", {"notes.md"}, "", ""}, entry_case{"nothing_to_run", "", {"scripts/fill.py"}, "", ""},
        entry_case{"none", "lang: python", {"tool.py"}, "", "", no_entry},
        entry_case{"elsewhere", "lang: python", {"src/main.py"}, "", "", no_entry},
        entry_case{"no_language", "entrypoint: tool", {"tool"}, "", "", "lang is required"},
        entry_case{"command_without_language", "command: tool", {"tool"}, "", "", "lang is required"}),
    [](const auto& info) { return std::string(info.param.name); });

struct image_case {
    std::string_view name;
    std::string_view image;
    std::vector<std::string> allowed;
    std::string_view fault;
};
class Image : public ::testing::TestWithParam<image_case> { };
TEST_P(Image, MustBeInTheListExactly)
{
    const auto checked = check_image(GetParam().image, GetParam().allowed);
    ASSERT_EQ(checked.has_error(), !GetParam().fault.empty());
    if (checked.has_error()) {
        EXPECT_EQ(checked.error().code, errc::image_not_allowed);
        EXPECT_EQ(checked.error().detail, GetParam().fault);
    }
}
INSTANTIATE_TEST_SUITE_P(Cases, Image,
    ::testing::Values(image_case{"there", "b", {"a", "b"}, ""},
        image_case{"not_there", "c", {"a", "b"}, R"(image "c" is not in the allowlist (allowed: a, b))"},
        image_case{"other_case", "A", {"a"}, R"(image "A" is not in the allowlist (allowed: a))"},
        image_case{"other_tag", "a:1", {"a"}, R"(image "a:1" is not in the allowlist (allowed: a))"},
        image_case{"empty_list", "a", {}, "image allowlist is empty; no images are permitted"},
        image_case{"no_name", "", {"a"}, "image name is required"}),
    [](const auto& info) { return std::string(info.param.name); });

/// A server on which python:3.12-slim stands for Python, and bash:5 for what is not there.
package_rules rules_of_a_host()
{
    auto rules = usual_rules();
    rules.judge_image = [](const skill_manifest& skill, std::string_view image) {
        if (skill.lang == "node")
            return image_verdict{std::string(image) + " is not for node", {}};
        return image_verdict{{}, image == "bash:5" ? "bash is missing" : ""};
    };
    return rules;
}

struct host_image_case {
    std::string_view name;
    std::string_view more;
    std::string_view want;
    std::string_view note;
};
class HostImage : public ::testing::TestWithParam<host_image_case> { };

TEST_P(HostImage, IsJudgedAtUpload)
{
    const auto checked = check_package(package_of(with(GetParam().more), {"main.py", "main.js", "main.sh"}), rules_of_a_host());
    EXPECT_EQ(fault_of(checked), GetParam().want);
    if (checked.has_value())
        EXPECT_EQ(checked->notes.empty() ? "" : checked->notes.back(), GetParam().note);
}

INSTANTIATE_TEST_SUITE_P(Cases, HostImage,
    ::testing::Values(host_image_case{"fits", "lang: python", "no fault", ""},
        host_image_case{"lacks", "lang: bash", "no fault", "bash is missing"},
        host_image_case{"contradicts", "lang: node\nimage: bash:5", "bash:5 is not for node", ""},
        host_image_case{"with_other_mistakes", "lang: node\nimage: bash:5\ntimeout: soon",
            "invalid skill: parse timeout \"soon\": time: invalid duration \"soon\"; bash:5 is not for node", ""},
        host_image_case{
            "not_allowed_at_all", "lang: node\nimage: x", "image \"x\" is not in the allowlist (allowed: python:3.12-slim, bash:5)", ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Image, ThatOfTheLanguageMustBeAllowedToo)
{
    auto rules = usual_rules();
    rules.images = std::vector<std::string>{};
    const auto checked = check_package(package_of(with("")), rules);
    ASSERT_TRUE(checked.has_error());
    EXPECT_EQ(checked.error().code, errc::image_not_allowed);
    EXPECT_EQ(checked.error().detail, "image allowlist is empty; no images are permitted");
    rules.images.reset();
    EXPECT_TRUE(check_package(package_of(with("")), rules).has_value());
}

}    // namespace
}    // namespace caisson
