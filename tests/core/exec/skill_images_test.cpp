#include "core/exec/skill/skill_images.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

std::optional<std::string> only_python_and_bash(std::string_view name)
{
    return name == "node" ? std::nullopt : std::optional<std::string>("/usr/bin/" + std::string(name));
}

struct upload_case {
    const char* name;
    const char* image;
    const char* lang;
    const char* mistake;
    const char* note;
};
class ImageAtUpload : public ::testing::TestWithParam<upload_case> { };

TEST_P(ImageAtUpload, OnlyAContradictionIsAMistake)
{
    const auto& c = GetParam();
    const host_images images(server_config().images.host, &only_python_and_bash);
    const auto judged = images.judge(c.image, c.lang);
    EXPECT_EQ(judged.mistake, c.mistake);
    EXPECT_EQ(judged.note, c.note);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImageAtUpload,
    ::testing::Values(upload_case{"fits", "python:3.12-slim", "python", "", ""},
        upload_case{"contradicts", "node:20-slim", "python",
            "image \"node:20-slim\" stands for node on this host (images.host), and the skill is written for python", ""},
        upload_case{"command_of_its_own", "bash:5", "", "", ""},
        upload_case{"not_installed", "node:20-slim", "node", "",
            "image \"node:20-slim\" stands for node on this host (images.host), which is not installed"},
        upload_case{"not_in_the_table", "other:1", "python", "",
            "image \"other:1\" has no program on this host; add it to images.host of the server's config, or run it on a runtime with "
            "images"}),
    [](const auto& info) { return info.param.name; });

TEST(RuntimesWithImages, AreThoseThatDoNotRunTheHostsPrograms)
{
    EXPECT_FALSE(has_images("bubblewrap"));
    EXPECT_FALSE(has_images("process"));
    EXPECT_FALSE(has_images("mock"));
    EXPECT_TRUE(has_images("docker"));
}

}    // namespace

}    // namespace caisson
