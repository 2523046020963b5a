#include "adapters/yaml/yaml_reader.hpp"
#include "core/skills/package_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

/// A package with this SKILL.md and a main.py.
result<checked_package> checked_whole(const std::string& skill_md)
{
    package_rules rules;
    rules.read_yaml = &read_yaml;
    package_index index;
    index.format = "zip";
    index.skill_md = skill_md;
    index.entries = {{"SKILL.md", 1, 0644}, {"main.py", 1, 0644}};
    return check_package(index, rules);
}

result<checked_package> checked_of(const std::string& front_matter) { return checked_whole("---\n" + front_matter + "\n---\nBody\n"); }

TEST(ManifestText, AnEmptyTextIsAsGoodAsNone)
{
    const auto checked = checked_of(R"(name: wc
version: 1.0.0
description: d
lang: ""
image: ""
timeout: ''
resources: {memory: "", cpu: ""}
entrypoint: ""
command: ""
env: {EMPTY: ""}
network: ""
retry: {attempts: "", first_delay: "", on: "", exit_codes: ""}
idempotent: ""
inputs: ""
artifacts: ""
runtime: ""
mode: "")");
    ASSERT_TRUE(checked.has_value()) << checked.error().detail;
    const auto& manifest = checked->manifest;
    EXPECT_EQ(manifest.lang, "python");
    EXPECT_EQ(manifest.entrypoint, "main.py");
    EXPECT_EQ(manifest.mode, "executable");
    EXPECT_EQ(manifest.retry, retry_policy());
    EXPECT_EQ(manifest.env, (std::map<std::string, std::string>{{"EMPTY", ""}}));
    EXPECT_TRUE(manifest.image.empty() && !manifest.timeout_ms && !manifest.memory_bytes && !manifest.cpu_milli);
    EXPECT_TRUE(manifest.command.empty() && manifest.artifacts.empty() && manifest.input_schema.empty());
    EXPECT_EQ(
        checked_of("name: ''\nversion: ''\ndescription: ''").error().detail, "invalid skill: name is required; description is required");
}

TEST(ManifestText, LinesAreThoseOfTheFile)
{
    const std::string text = "\xEF\xBB\xBF\n\n---\nname: wc\nname: b\n---\n";
    EXPECT_EQ(checked_whole(text).error().detail, R"(invalid skill: parse frontmatter YAML: line 5: mapping key "name" already defined)");
}

}    // namespace
}    // namespace caisson
