#include "core/threads/rules.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson {

namespace {

using namespace std::string_literals;

struct name_case {
    std::string_view name;
    std::string text;
    std::string thread;    // what is wrong with it; empty: nothing
    std::string id;
};
void PrintTo(const name_case& one, std::ostream* out) { *out << one.name; }

const std::string bad_thread = "must be 1 to 200 visible ASCII characters, without spaces";
const std::string bad_id = "must be 1 to 128 letters, digits and . _ -";
const std::string dots = R"(must not be "." or "..")";

class Name : public ::testing::TestWithParam<name_case> { };

TEST_P(Name, OfAThreadOrACheckpoint)
{
    const auto& c = GetParam();
    const auto thread = check_thread_name(c.text);
    const auto id = check_checkpoint_id(c.text, "parent_id");
    EXPECT_EQ(thread ? thread->message : "", c.thread);
    EXPECT_EQ(id ? id->message : "", c.id);
    EXPECT_EQ(thread ? thread->field : "thread", "thread");
    EXPECT_EQ(id ? id->field : "parent_id", "parent_id");
}

INSTANTIATE_TEST_SUITE_P(Cases, Name,
    ::testing::Values(name_case{"letter", "a"}, name_case{"all", "azAZ09._-"}, name_case{"made_here", "ckp_01jd2c9k7v3m4n5p6q7r8s9t0a"},
        name_case{"three_dots", "..."}, name_case{"dots_first", "..a"}, name_case{"empty", "", bad_thread, bad_id},
        name_case{"dot", ".", dots, dots}, name_case{"two_dots", "..", dots, dots}, name_case{"slash", "a/b", "", bad_id},
        name_case{"tenant", "user:123", "", bad_id}, name_case{"address", "team/a@example.com", "", bad_id},
        name_case{"first", "!", "", bad_id}, name_case{"last", "~", "", bad_id}, name_case{"control", "a\x7F", bad_thread, bad_id},
        name_case{"space", "a b", bad_thread, bad_id}, name_case{"nul", "a\0"s, bad_thread, bad_id},
        name_case{"umlaut", "\xC3\xA4", bad_thread, bad_id}, name_case{"percent", "a%2F", "", bad_id},
        name_case{"longest_id", std::string(128, 'a')}, name_case{"too_long_for_an_id", std::string(129, 'a'), "", bad_id},
        name_case{"longest_thread", std::string(200, 'a'), "", bad_id}, name_case{"too_long", std::string(201, 'a'), bad_thread, bad_id}),
    [](const auto& info) { return std::string(info.param.name); });

struct metadata_case {
    std::string_view name;
    checkpoint_metadata raw;
    std::string want;           // problems, a line each
    std::string custom = "";    // what becomes of it, if nothing is wrong
};
void PrintTo(const metadata_case& one, std::ostream* out) { *out << one.name; }

class Metadata : public ::testing::TestWithParam<metadata_case> { };

TEST_P(Metadata, IsCheckedByItsFields)
{
    const auto& c = GetParam();
    const auto checked = checked_metadata(c.raw);
    std::string problems;
    if (checked.has_error())
        for (const auto& each : checked.error().fields)
            problems += each.field + " " + each.message + "\n";
    EXPECT_EQ(problems, c.want);
    if (checked.has_value()) {
        auto want = c.raw;
        want.custom = c.custom;
        EXPECT_EQ(*checked, want);
    }
}

std::string nested(int levels)
{
    std::string text = "1";
    for (int i = 0; i < levels; ++i)
        text = R"({"a":)" + text + "}";
    return text;
}

INSTANTIATE_TEST_SUITE_P(Cases, Metadata,
    ::testing::Values(metadata_case{"nothing", {}, ""},
        metadata_case{"all", {.step = -1, .node_id = "plan", .tags = {"a", "größe"}, .custom = R"({ "b": 1.10, "a": 2 })"}, "",
            R"({"a":2,"b":1.10})"},
        metadata_case{"largest_step", {.step = 9'007'199'254'740'991}, ""},
        metadata_case{"step_too_large", {.step = 9'007'199'254'740'992},
            "metadata.step must be between -9007199254740991 and 9007199254740991, not 9007199254740992\n"},
        metadata_case{"step_too_small", {.step = -9'007'199'254'740'992},
            "metadata.step must be between -9007199254740991 and 9007199254740991, not -9007199254740992\n"},
        metadata_case{"long_node", {.node_id = std::string(201, 'n')}, "metadata.node_id must be at most 200 bytes long, not 201\n"},
        metadata_case{"node_with_a_control", {.node_id = "a\nb"}, "metadata.node_id must not have control characters\n"},
        metadata_case{"node_not_utf8", {.node_id = "\xFF"}, "metadata.node_id must be UTF-8\n"},
        metadata_case{"tags", {.tags = {"a", "", "b", "a", std::string(129, 't')}},
            "metadata.tags[1] must not be empty\nmetadata.tags[3] is the same as metadata.tags[0]\n"
            "metadata.tags[4] must be at most 128 bytes long, not 129\n"},
        metadata_case{"many_tags", {.tags = std::vector<std::string>(65, "a")}, "metadata.tags must have at most 64 items, not 65\n"},
        metadata_case{"custom_is_no_object", {.custom = "[1]"}, "metadata.custom must be an object\n"},
        metadata_case{"custom_is_no_json", {.custom = "{"}, "metadata.custom is not valid JSON: it ends too early, at its top (byte 1)\n"},
        metadata_case{"custom_with_a_name_twice", {.custom = R"({"a":1,"a":1})"},
            "metadata.custom has the name \"a\" twice in one object, at its top (byte 12)\n"},
        metadata_case{"deepest_custom", {.custom = nested(16)}, "", nested(16)},
        metadata_case{"custom_too_deep", {.custom = nested(17)},
            "metadata.custom is nested more than 16 levels deep, at /a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a (byte 80)\n"},
        metadata_case{"custom_too_large", {.custom = "{}" + std::string(65'535, ' ')},
            "metadata.custom must be at most 65536 bytes long, not 65537\n"},
        metadata_case{"all_that_is_wrong", {.node_id = "\n", .tags = {""}, .custom = "1"},
            "metadata.node_id must not have control characters\nmetadata.tags[0] must not be empty\nmetadata.custom must be an object\n"}),
    [](const auto& info) { return std::string(info.param.name); });

struct policy_case {
    std::string_view name;
    retention_policy policy;
    std::string want;
};
void PrintTo(const policy_case& one, std::ostream* out) { *out << one.name; }

class Policy : public ::testing::TestWithParam<policy_case> { };

TEST_P(Policy, HasBounds)
{
    std::string problems;
    for (const auto& each : check_retention(GetParam().policy))
        problems += each.field + " " + each.message + "\n";
    EXPECT_EQ(problems, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, Policy,
    ::testing::Values(policy_case{"usual", {}, ""}, policy_case{"least", {1, 1}, ""}, policy_case{"most", {100'000, 315'360'000'000}, ""},
        policy_case{"too_little", {0, 0},
            "max_checkpoints must be between 1 and 100000, not 0\nttl_ms must be between 1 and 315360000000, not 0\n"},
        policy_case{"too_much", {100'001, 315'360'000'001},
            "max_checkpoints must be between 1 and 100000, not 100001\nttl_ms must be between 1 and 315360000000, not 315360000001\n"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
