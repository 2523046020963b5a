#include "core/images/name_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

struct name_case {
    std::string_view name;
    std::string text;
    bool valid;
    std::string_view registry = "docker.io";
};
class ImageName : public ::testing::TestWithParam<name_case> { };

TEST_P(ImageName, IsCheckedAndItsRegistryFound)
{
    const auto& c = GetParam();
    EXPECT_EQ(image_name_problem(c.text).empty(), c.valid) << image_name_problem(c.text);
    if (c.valid)
        EXPECT_EQ(registry_of(c.text), c.registry);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImageName,
    ::testing::Values(name_case{"short_name", "bash", true}, name_case{"tagged", "python:3.12-slim", true},
        name_case{"of_a_user", "team/app:1", true}, name_case{"of_a_registry", "registry.example/team/app:1", true, "registry.example"},
        name_case{"with_a_port", "registry:5000/app", true, "registry:5000"}, name_case{"of_this_host", "localhost/app", true, "localhost"},
        name_case{"by_digest", "app:1@sha256:" + std::string(64, 'a'), true},
        name_case{"an_old_name_of_the_hub", "index.docker.io/library/bash", true},
        name_case{"an_id", "sha256:" + std::string(64, '0'), true}, name_case{"words", "team/a.b_c__d---e/f1", true},
        name_case{"tag_in_capitals", "a:V1.0_x", true}, name_case{"short_digest", "app@sha256:0123", false},
        name_case{"capitals", "Python:3", false}, name_case{"two_tags", "a:b:c", false}, name_case{"a_dash_first", "-x", false},
        name_case{"an_address", "http://x/y", false}, name_case{"three_underscores", "a___b", false},
        name_case{"an_empty_port", "host:/x", false}, name_case{"long_tag", "a:" + std::string(129, 't'), false},
        name_case{"empty", "", false}, name_case{"with_a_space", "a b", false}, name_case{"with_nul", std::string("a\0b", 3), false},
        name_case{"with_a_newline", "a\nb", false}, name_case{"two_slashes", "a//b", false}, name_case{"begins_with_a_slash", "/a", false},
        name_case{"ends_with_a_colon", "a:", false}, name_case{"goes_up", "a/../b", false},
        name_case{"too_long", std::string(256, 'a'), false}, name_case{"not_ascii", "b\xc3\xa4h", false},
        name_case{"a_question", "a?b", false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
