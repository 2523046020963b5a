#include "core/threads/chain_rules.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson {

namespace {

std::optional<checkpoint_id> id(std::string_view text)
{
    return text.empty() ? std::nullopt : std::optional(checkpoint_id::from_trusted(std::string(text)));
}

std::optional<expected_latest> expecting(std::string_view text) { return expected_latest{id(text)}; }

struct save_case {
    std::string_view name;
    save_request request;
    chain_facts facts;
    std::string want;    // "append a", "repeat", or an error's detail
    errc code = errc::conflict;
};
void PrintTo(const save_case& one, std::ostream* out) { *out << one.name; }

std::string text_of(const save_decision& decision)
{
    if (decision.verdict == save_verdict::repeat)
        return "repeat";
    return "append " + (decision.parent ? decision.parent->str() : "a root");
}

class Save : public ::testing::TestWithParam<save_case> { };

TEST_P(Save, IsAppendedRepeatedOrRefused)
{
    const auto& c = GetParam();
    const auto decision = decide_save(c.request, c.facts);
    if (decision.has_value()) {
        EXPECT_EQ(text_of(*decision), c.want);
        return;
    }
    EXPECT_EQ(decision.error().detail, c.want);
    EXPECT_EQ(decision.error().code, c.code);
    ASSERT_EQ(decision.error().fields.size(), 1U);
    EXPECT_EQ(decision.error().fields[0].field + " " + decision.error().fields[0].message, c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, Save,
    ::testing::Values(save_case{"first", {}, {}, "append a root"}, save_case{"next", {}, {.latest = id("a")}, "append a"},
        save_case{"with_an_id_of_its_own", {.id = id("x"), .digest = "d"}, {.latest = id("a")}, "append a"},
        save_case{"with_a_parent", {.parent = id("a")}, {.latest = id("b"), .parent_is_there = true}, "append a"},
        save_case{"latest_is_as_expected", {.if_latest = expecting("a")}, {.latest = id("a")}, "append a"},
        save_case{"latest_and_parent", {.parent = id("a"), .if_latest = expecting("b")}, {.latest = id("b"), .parent_is_there = true},
            "append a"},
        save_case{"none_is_as_expected", {.if_latest = expecting("")}, {}, "append a root"},
        save_case{"repeated", {.id = id("x"), .digest = "d"}, {.latest = id("z"), .same_id_digest = "d"}, "repeat"},
        save_case{"repeated_when_the_thread_went_on", {.id = id("x"), .if_latest = expecting("a"), .digest = "d"},
            {.latest = id("z"), .same_id_digest = "d"}, "repeat"},
        save_case{"repeated_when_its_parent_went", {.id = id("x"), .parent = id("a"), .digest = "d"},
            {.latest = id("z"), .same_id_digest = "d"}, "repeat"},
        save_case{"same_id_other_content", {.id = id("x"), .digest = "d"}, {.latest = id("z"), .same_id_digest = "e"},
            "id is taken: the checkpoint x has another content"},
        save_case{"same_id_other_content_before_all_else", {.id = id("x"), .if_latest = expecting("a"), .digest = "d"},
            {.latest = id("z"), .same_id_digest = "e"}, "id is taken: the checkpoint x has another content"},
        save_case{"another_was_faster", {.if_latest = expecting("a")}, {.latest = id("b")},
            "if_latest does not hold: the latest checkpoint is b"},
        save_case{
            "another_was_first", {.if_latest = expecting("")}, {.latest = id("b")}, "if_latest does not hold: the latest checkpoint is b"},
        save_case{"none_is_left", {.if_latest = expecting("a")}, {}, "if_latest does not hold: the thread has no checkpoint"},
        save_case{"another_was_faster_and_no_parent", {.parent = id("q"), .if_latest = expecting("a")}, {.latest = id("b")},
            "if_latest does not hold: the latest checkpoint is b"},
        save_case{"unknown_parent", {.parent = id("q")}, {.latest = id("b")}, "parent_id names no checkpoint of this thread: q",
            errc::bad_request}),
    [](const auto& info) { return std::string(info.param.name); });

struct import_case {
    std::string_view name;
    std::vector<imported_checkpoint> checkpoints;
    std::string want;    // problems, a line each
};
void PrintTo(const import_case& one, std::ostream* out) { *out << one.name; }

class Import : public ::testing::TestWithParam<import_case> { };

TEST_P(Import, TakesThreadsOnly)
{
    std::string problems;
    for (const auto& each : check_imported_chain(GetParam().checkpoints))
        problems += each.field + " " + each.message + "\n";
    EXPECT_EQ(problems, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, Import,
    ::testing::Values(import_case{"nothing", {}, ""}, import_case{"chain", {{"a", {}, 1}, {"b", "a", 2}, {"c", "b", 3}}, ""},
        import_case{"tree", {{"a", {}, 1}, {"b", "a", 2}, {"c", "a", 3}, {"d", "b", 4}}, ""},
        import_case{"with_gaps", {{"d", {}, 4, 3}, {"h", "d", 8, 3}, {"i", {}, 9, 1}}, ""},
        import_case{"same_id", {{"a", {}, 1}, {"b", "a", 2}, {"a", "b", 3}}, "checkpoints[2].id is the same as checkpoints[0].id\n"},
        import_case{"malformed_id", {{"a/b", {}, 1}, {"", {}, 2}},
            "checkpoints[0].id must be 1 to 128 letters, digits and . _ -\ncheckpoints[1].id must be 1 to 128 letters, digits and . _ -\n"},
        import_case{"unknown_parent", {{"a", "q", 1}}, "checkpoints[0].parent_id names no checkpoint of the list\n"},
        import_case{"its_own_parent", {{"a", "a", 1}}, "checkpoints[0].parent_id is the checkpoint itself\n"},
        import_case{"cycle", {{"a", "c", 1}, {"b", "a", 2}, {"c", "b", 3}}, "checkpoints[0].parent_id names a later checkpoint\n"},
        import_case{"order", {{"a", {}, 2}, {"b", "a", 2}, {"c", "b", 1}},
            "checkpoints[1].position must be more than 2\ncheckpoints[2].position must be more than 2\n"},
        import_case{
            "counts_from_1", {{"a", {}, 0, -1}}, "checkpoints[0].position must be more than 0\ncheckpoints[0].gap must not be negative\n"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ImportOfRubbish, IsToldShortly)
{
    const std::vector<imported_checkpoint> all(1'000, imported_checkpoint{"", "q", 0, -1});
    EXPECT_EQ(check_imported_chain(all).size(), 20U);
}

}    // namespace

}    // namespace caisson
