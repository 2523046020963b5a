#include "app/wire/image_request.hpp"
#include "app/wire/image_view.hpp"
#include "tests/app/wire/wire_fixture.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace caisson::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A server with images: the default runtime has some, one of its languages has none.
struct image_fixture : wire_fixture {
    image_fixture()
    {
        runtimes = {"docker", "bubblewrap"};
        config.languages = {"python=python:3.12-slim", "javascript=node:20-slim"};
        config.standard = "bash:5";
        config.interpreters = {"own:1=/opt/python"};
    }
    wire_context context() const { return {&limits, &languages, "docker", &runtimes, nullptr, 16 << 20, false, {}, &images()}; }
    const image_table& images() const
    {
        table = image_table(config);
        return table;
    }
    execution_spec spec(std::string_view body) const
    {
        auto parsed = parse_execution_request(body, context());
        EXPECT_TRUE(parsed.has_value()) << told(parsed.error());
        return parsed.has_value() ? parsed->spec : execution_spec();
    }
    std::string refused(std::string_view body) const
    {
        const auto parsed = parse_execution_request(body, context());
        return parsed.has_value() ? "taken" : told(parsed.error());
    }
    images_config config;
    mutable image_table table;
};

struct place_case {
    std::string_view name;
    std::string_view body;
    std::string image;
    std::vector<std::string> argv;
    std::vector<std::string> host_argv;
};
class ImageOfRequest : public ::testing::TestWithParam<place_case> { };

TEST_P(ImageOfRequest, IsTheNamedOneOrThatOfTheProgram)
{
    const auto& c = GetParam();
    const auto spec = image_fixture().spec(c.body);
    EXPECT_EQ(spec.image, c.image);
    EXPECT_EQ(spec.argv, c.argv);
    EXPECT_EQ(spec.host_argv, c.host_argv);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImageOfRequest,
    ::testing::Values(place_case{"command", R"({"command":["ls","-l"],"args":["x"]})", "bash:5", {"ls", "-l", "x"}, {"ls", "-l", "x"}},
        place_case{"shell", R"({"shell":"ls"})", "bash:5", {"sh", "-c", "ls", "sh"}, {"/usr/bin/bash", "-c", "ls", "bash"}},
        place_case{"code", R"({"language":"py","code":"x","args":["1"]})", "python:3.12-slim", {"python3", "-u", "main.py", "1"},
            {"/usr/bin/python3", "-u", "main.py", "1"}},
        place_case{"code_that_the_host_has_not", R"({"language":"js","code":"x"})", "node:20-slim", {"node", "main.js"}, {}},
        place_case{"named", R"({"language":"python","code":"x","image":"other:2"})", "other:2", {"python3", "-u", "main.py"}, {}},
        place_case{"named_with_an_interpreter_of_its_own", R"({"language":"python","code":"x","image":"own:1"})", "own:1",
            {"/opt/python", "-u", "main.py"}, {}},
        place_case{
            "named_for_a_language_without_one", R"({"language":"bash","code":"x","image":"own:2"})", "own:2", {"bash", "main.sh"}, {}},
        place_case{"runtime_named", R"({"command":["ls"],"runtime":"docker"})", "bash:5", {"ls"}, {}},
        place_case{"another_runtime", R"({"shell":"ls","runtime":"bubblewrap"})", "", {"/usr/bin/bash", "-c", "ls", "bash"}, {}}),
    [](const auto& info) { return std::string(info.param.name); });

struct refusal_case {
    std::string_view name;
    std::string_view body;
    std::string_view told;
};
class ImageRefused : public ::testing::TestWithParam<refusal_case> { };

TEST_P(ImageRefused, WithItsField) { EXPECT_EQ(image_fixture().refused(GetParam().body), GetParam().told); }

INSTANTIATE_TEST_SUITE_P(Cases, ImageRefused,
    ::testing::Values(refusal_case{"no_name", R"({"command":["ls"],"image":""})", "bad_request: image must not be empty"},
        refusal_case{"malformed", R"({"command":["ls"],"image":"a b"})",
            "bad_request: image must be the name of an image, such as python:3.12-slim"},
        refusal_case{"no_text", R"({"command":["ls"],"image":5})", "bad_request: image must be a string"},
        refusal_case{"runtime_without_images", R"({"command":["ls"],"image":"bash:5","runtime":"bubblewrap"})",
            "bad_request: image has no meaning on the runtime bubblewrap, which runs programs of the server's host; runtimes with images: "
            "docker"},
        refusal_case{
            "skill", R"({"skill":"x","image":"bash:5"})", "bad_request: image cannot be combined with skill: a skill names its own"},
        refusal_case{"language_without_image", R"({"language":"bash","code":"x"})",
            "bad_request: language has no image on this server; available: javascript, python"},
        refusal_case{
            "unknown_language", R"({"language":"cobol","code":"x"})", "bad_request: language is not known; available: javascript, python"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ImageRequest, ACompilerIsLookedForInTheImage)
{
    image_fixture server;
    server.config.languages = {"c=gcc:12", "ts=node-ts:1", "java=jdk:1"};
    server.config.interpreters = {"jdk:1=/opt/javac"};
    server.languages = language_catalog([](std::string_view name) { return "/usr/bin/" + std::string(name.substr(name.rfind('/') + 1)); });
    const auto c = server.spec(R"({"language":"c","code":"x"})");
    EXPECT_EQ(c.image, "gcc:12");
    EXPECT_EQ(c.argv, c.host_argv);
    ASSERT_TRUE(c.compile);
    EXPECT_EQ(c.compile->argv.front(), "gcc");
    EXPECT_EQ(c.compile->host_argv.front(), "/usr/bin/gcc");
    const auto ts = server.spec(R"({"language":"ts","code":"x"})");
    EXPECT_EQ(ts.compile->argv[0], "tsc");
    EXPECT_EQ(ts.compile->argv[1], "--pretty");
    EXPECT_EQ(ts.compile->host_argv[1], "/usr/share/nodejs/typescript/bin/tsc");
    EXPECT_THAT(ts.argv, ElementsAre("node", ".caisson/js/main.js"));
    const auto java = server.spec(R"({"language":"java","code":"x"})");
    EXPECT_EQ(java.compile->argv.front(), "/opt/javac");
    EXPECT_EQ(java.argv.front(), "java");
}

TEST(ImageRequest, CommandsNeedOneWhereTheConfigHasNone)
{
    image_fixture server;
    server.config.standard = "";
    EXPECT_EQ(
        server.refused(R"({"command":["ls"]})"), "bad_request: image is required: this server has none for commands (images.default)");
    EXPECT_EQ(server.spec(R"({"command":["ls"],"image":"a:1"})").image, "a:1");
}

TEST(ImageRequest, OnlyWhatNamesNeitherRuntimeNorImageMayFallBack)
{
    const image_fixture server;
    EXPECT_TRUE(server.spec(R"({"command":["ls"]})").may_fall_back);
    EXPECT_FALSE(server.spec(R"({"command":["ls"],"image":"a:1"})").may_fall_back);
    EXPECT_FALSE(server.spec(R"({"command":["ls"],"runtime":"docker"})").may_fall_back);
    EXPECT_FALSE(server.spec(R"({"skill":"x"})").may_fall_back);
}

TEST(ImageRequest, WhatRunsWhereIsKeptWithTheSpec)
{
    const auto spec = image_fixture().spec(R"({"language":"python","code":"x"})");
    const auto kept = spec_from_json(spec_to_json(spec));
    EXPECT_EQ(kept.image, spec.image);
    EXPECT_EQ(kept.host_argv, spec.host_argv);
    EXPECT_TRUE(kept.may_fall_back);
}

TEST(PullRequest, NamesAnImage)
{
    const auto parsed = parse_pull_request(R"({"image":"a:1","wait":false})");
    EXPECT_EQ(parsed->image, "a:1");
    EXPECT_FALSE(parsed->wait);
    EXPECT_TRUE(parse_pull_request(R"({"image":"a:1"})")->wait);
    EXPECT_EQ(told(parse_pull_request("{}").error()), "bad_request: image is required");
    EXPECT_EQ(told(parse_pull_request(R"({"image":"a:1","tag":"2"})").error()), "bad_request: tag is not a known field");
}

TEST(LoadQuery, TakesChangesOfARootFileSystemOnly)
{
    const auto parsed = parse_load_query({{"image", "own:1"}, {"changes", "ENV PATH=/bin\nUSER 1000"}});
    EXPECT_EQ(parsed->image, "own:1");
    EXPECT_THAT(parsed->changes, ElementsAre("ENV PATH=/bin", "USER 1000"));
    EXPECT_EQ(parse_load_query({})->image, "");
    for (const auto* line : {"RUN true", "ENV", "ONBUILD ENV A=1", "COPY a b", "env A=1", "ENV A=1\n\nUSER 1"})
        EXPECT_TRUE(parse_load_query({{"image", "own:1"}, {"changes", line}}).has_error()) << line;
    EXPECT_EQ(told(parse_load_query({{"changes", "ENV A=1"}}).error()),
        "bad_request: changes needs image: an archive of images is taken as it is");
}

stored_image image_of(std::vector<std::string> tags, const std::string& id)
{
    stored_image out;
    out.id = id;
    out.tags = std::move(tags);
    return out;
}

TEST(ImageItems, AreOneAName)
{
    const std::vector<stored_image> all{image_of({"b:1", "a:1"}, "sha256:1"), image_of({}, "sha256:2")};
    const std::vector<std::string> allowed{"a:1"};
    const auto items = image_items(all, allowed, false);
    ASSERT_EQ(items.size(), 3u);
    EXPECT_EQ(items[0].name, "a:1");
    EXPECT_TRUE(items[0].allowed);
    EXPECT_EQ(items[1].name, "b:1");
    EXPECT_FALSE(items[1].allowed);
    EXPECT_EQ(items[2].name, "sha256:2");
    const auto mine = image_items(all, allowed, true);
    ASSERT_EQ(mine.size(), 1u);
    EXPECT_EQ(mine[0].name, "a:1");
    EXPECT_THAT(image_items(all, {}, true), IsEmpty());
}

TEST(AllowedImagesView, NamesWhoAndWhere)
{
    const std::vector<std::string> configured{"a:1"};
    const std::map<std::string, std::vector<std::string>> tenants{{"acme", {"b:1"}}};
    const std::vector<allowed_image> added{{"c:1", std::nullopt, "", 0}, {"d:1", tenant_id::from_trusted("ten_x"), "other", 0}};
    const auto json = boost::json::parse(allowed_images_json(configured, tenants, added));
    std::string text;
    for (const auto& each : json.at("items").as_array())
        text += std::string(each.at("image").as_string()) + " " + std::string(each.at("source").as_string()) + " " +
                (each.at("tenant").is_null() ? "-" : std::string(each.at("tenant").as_string())) + "\n";
    EXPECT_EQ(text, "a:1 config -\nb:1 config acme\nc:1 api -\nd:1 api other\n");
}

}    // namespace
}    // namespace caisson::wire
