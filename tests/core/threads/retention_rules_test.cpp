#include "core/threads/retention_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace caisson {

namespace {

checkpoint_id id(std::string_view text) { return checkpoint_id::from_trusted(std::string(text)); }

/// "b<a" is b with parent a; "+3" behind it: a gap of 3; "@500": made at 500; "!": pinned; "*": needed.
retention_candidate candidate(std::string_view text)
{
    retention_candidate one;
    const auto number = [&](char mark) {
        const auto at = text.find(mark);
        return at == std::string_view::npos ? 0 : std::stoll(std::string(text.substr(at + 1)));
    };
    one.id = id(text.substr(0, 1));
    if (text.size() > 2 && text[1] == '<')
        one.parent = id(text.substr(2, 1));
    one.gap = number('+');
    one.created_at_ms = number('@');
    one.pinned = text.find('!') != std::string_view::npos;
    one.needed = text.find('*') != std::string_view::npos;
    return one;
}

std::string text_of(const retention_plan& plan)
{
    std::string text;
    for (const auto& each : plan.dropped)
        text += each.str();
    for (const auto& each : plan.relinked)
        text += " " + each.id.str() + "<" + (each.parent ? each.parent->str() : "") + "+" + std::to_string(each.gap);
    return text;
}

struct retention_case {
    std::string_view name;
    std::vector<std::string> checkpoints;
    std::int64_t max;
    std::optional<std::int64_t> ttl_ms;
    std::string want;    // the dropped, then those whose parent changed: "ab c<+2"
};
void PrintTo(const retention_case& one, std::ostream* out) { *out << one.name; }

class Retention : public ::testing::TestWithParam<retention_case> {
protected:
    std::vector<retention_candidate> candidates() const
    {
        std::vector<retention_candidate> all;
        for (const auto& each : GetParam().checkpoints)
            all.push_back(candidate(each));
        return all;
    }
};

/// What is left when `plan` was carried out.
std::vector<retention_candidate> carried_out(std::vector<retention_candidate> all, const retention_plan& plan)
{
    std::erase_if(all, [&](const auto& one) { return std::ranges::find(plan.dropped, one.id) != plan.dropped.end(); });
    for (auto& one : all)
        for (const auto& each : plan.relinked)
            if (each.id == one.id) {
                one.parent = each.parent;
                one.gap = each.gap;
            }
    return all;
}

TEST_P(Retention, DropsTheOldestAndRelinksTheirChildren)
{
    const auto& c = GetParam();
    const retention_policy policy{c.max, c.ttl_ms};
    const auto plan = plan_retention(candidates(), policy, 1'000);
    EXPECT_EQ(text_of(plan), c.want);
    EXPECT_EQ(plan_retention(carried_out(candidates(), plan), policy, 1'000), retention_plan()) << "it takes more than one go";
}

INSTANTIATE_TEST_SUITE_P(Count, Retention,
    ::testing::Values(retention_case{"nothing", {}, 3, {}, ""}, retention_case{"one", {"a"}, 1, {}, ""},
        retention_case{"as_many_as_may_be", {"a", "b<a", "c<b"}, 3, {}, ""},
        retention_case{"one_too_many", {"a", "b<a", "c<b", "d<c"}, 3, {}, "a b<+1"},
        retention_case{"many_too_many", {"a", "b<a", "c<b", "d<c", "e<d"}, 2, {}, "abc d<+3"},
        retention_case{"the_newest_stays", {"a", "b<a"}, 0, {}, "a b<+1"},
        retention_case{"gaps_add_up", {"a+5", "b<a+2", "c<b+1"}, 1, {}, "ab c<+10"},
        retention_case{"pinned", {"a", "b<a!", "c<b", "d<c"}, 2, {}, "a b<+1"},
        retention_case{"pinned_in_between", {"a!", "b<a", "c<b", "d<c"}, 1, {}, "bc d<a+2"},
        retention_case{"needed", {"a", "b<a*", "c<b", "d<c", "e<d"}, 2, {}, "ac b<+1 d<b+1"},
        retention_case{"pinned_ones_take_no_others_place", {"a!", "b<a!", "c<b", "d<c"}, 2, {}, ""},
        retention_case{"pinned_ones_among_the_newest", {"a", "b<a", "c<b!", "d<c"}, 2, {}, "ab c<+2"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Time, Retention,
    ::testing::Values(retention_case{"not_over_yet", {"a@501", "b<a@600"}, 9, 500, ""},
        retention_case{"over", {"a@500", "b<a@501"}, 9, 500, "a b<+1"},
        retention_case{"the_newest_stays", {"a@1", "b<a@2"}, 9, 500, "a b<+1"},
        retention_case{"clock_went_back", {"a@900", "b<a@100", "c<b@950"}, 9, 500, "b c<a+1"},
        retention_case{"of_the_future", {"a@5000", "b<a@5001"}, 9, 500, ""},
        retention_case{"pinned_and_needed", {"a@1!", "b<a@2*", "c<b@3", "d<c@999"}, 9, 500, "c d<b+1"},
        retention_case{"time_and_count", {"a@1", "b<a@990", "c<b@2", "d<c@999", "e<d@999"}, 3, 500, "abc d<+3"},
        retention_case{"no_limit", {"a@-9000", "b<a@1"}, 9, {}, ""},
        retention_case{"before_all_times", {"a@-9223372036854775808", "b<a@1"}, 9, 5'000, "a b<+1"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Trees, Retention,
    ::testing::Values(retention_case{"two_children", {"a", "b<a", "c<a", "d<b", "e<c"}, 4, {}, "a b<+1 c<+1"},
        retention_case{"children_of_what_went", {"a", "b<a", "c<b", "d<b", "e<a"}, 3, {}, "ab c<+2 d<+2 e<+1"},
        retention_case{"rollback_to_an_old_one", {"a", "b<a", "c<b", "d<a", "e<d"}, 2, {}, "abc d<+1"},
        retention_case{"two_roots", {"a", "b", "c<a", "d<b"}, 2, {}, "ab c<+1 d<+1"},
        retention_case{"parent_that_nobody_knows", {"b<x", "c<b"}, 1, {}, "b c<x+1"},
        retention_case{"over_a_pinned_one", {"a", "b<a!", "c<b", "d<b", "e<c"}, 2, {}, "ac b<+1 e<b+1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Removal, RelinksToo)
{
    const std::vector<retention_candidate> all{candidate("a"), candidate("b<a"), candidate("c<b"), candidate("d<c!")};
    EXPECT_EQ(text_of(plan_removal(all, {false, true, false, true})), "bd c<a+1");
    EXPECT_EQ(text_of(plan_removal(all, {true, true, true, true})), "abcd");
    EXPECT_EQ(text_of(plan_removal(all, {false, false, false, false})), "");
}

TEST(RetentionOfManyCheckpoints, IsOneGo)
{
    std::vector<retention_candidate> all;
    for (int i = 0; i < 100'000; ++i) {
        retention_candidate one;
        one.id = id("c" + std::to_string(i));
        if (i > 0)
            one.parent = all.back().id;
        all.push_back(std::move(one));
    }
    const auto plan = plan_retention(all, {.max_checkpoints = 10}, 0);
    EXPECT_EQ(plan.dropped.size(), 99'990U);
    ASSERT_EQ(plan.relinked.size(), 1U);
    EXPECT_EQ(plan.relinked[0], (relinked_checkpoint{id("c99990"), std::nullopt, 99'990}));
}

}    // namespace

}    // namespace caisson
