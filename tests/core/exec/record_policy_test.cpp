#include "core/exec/record/record_policy.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace caisson {
namespace {

using namespace std::chrono_literals;

constexpr record_policy::options bounds{.slow_record = 1ms, .disk_rests_after = 250ms};
constexpr record_wishes plain{.awaits_end = true};
constexpr record_chances at_once{.has_sandbox = true, .has_place = true, .has_runtime = true};
constexpr unrecorded_state well{};

constexpr record_wishes asking(bool record_wishes::* what)
{
    auto wishes = plain;
    wishes.*what = true;
    return wishes;
}
constexpr record_chances lacking(bool record_chances::* what)
{
    auto chances = at_once;
    chances.*what = false;
    return chances;
}

struct first_case {
    std::string_view name;
    record_wishes of;
    record_chances has;
    std::chrono::microseconds last_took;    // the last first record
    std::chrono::milliseconds ago;          // since it was stored
    first_record want;
};
void PrintTo(const first_case& c, std::ostream* out) { *out << c.name; }

class FirstRecord : public ::testing::TestWithParam<first_case> { };

TEST_P(FirstRecord, IsChosen)
{
    const auto& c = GetParam();
    record_policy policy(bounds);
    policy.note(c.last_took, steady_time{});
    EXPECT_EQ(policy.choose(c.of, c.has, steady_time{} + c.ago), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, FirstRecord,
    ::testing::Values(first_case{"of_a_client_that_waits_where_records_are_slow", plain, at_once, 1ms, 10s, first_record::ended},
        first_case{"of_one_that_waits_where_records_are_fast_and_the_disk_rested", plain, at_once, 999us, 250ms, first_record::begun},
        first_case{"of_one_that_waits_soon_after_another", plain, at_once, 100us, 249ms, first_record::ended},
        first_case{"of_one_that_does_not_wait", {}, at_once, 1ms, 10s, first_record::begun},
        first_case{"with_a_key", asking(&record_wishes::has_key), at_once, 1ms, 0ms, first_record::accepted},
        first_case{"with_a_compiler", asking(&record_wishes::compiles), at_once, 1ms, 0ms, first_record::accepted},
        first_case{"with_a_large_spec", asking(&record_wishes::is_large), at_once, 1ms, 0ms, first_record::accepted},
        first_case{"without_a_sandbox", plain, lacking(&record_chances::has_sandbox), 1ms, 0ms, first_record::accepted},
        first_case{"without_a_place", plain, lacking(&record_chances::has_place), 1ms, 0ms, first_record::accepted},
        first_case{"without_a_runtime", plain, lacking(&record_chances::has_runtime), 1ms, 0ms, first_record::accepted}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FirstRecordOfAServer, IsItsBegin)
{
    const record_policy policy(bounds);
    EXPECT_EQ(policy.choose(plain, at_once, steady_time{} + 1h), first_record::begun);
}

struct end_case {
    std::string_view name;
    record_wishes of;
    unrecorded_state at;
    bool want;
};
void PrintTo(const end_case& c, std::ostream* out) { *out << c.name; }

class EndFirst : public ::testing::TestWithParam<end_case> { };

TEST_P(EndFirst, IsAllowed) { EXPECT_EQ(record_policy::may_end_first(GetParam().of, GetParam().at), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, EndFirst,
    ::testing::Values(end_case{"plain", plain, well, true}, end_case{"what_failed_is_followed_by_more", plain, {.has_failed = true}, false},
        end_case{"a_long_log", plain, {.log_is_short = false}, false},
        end_case{"a_policy_that_repeats_programs", asking(&record_wishes::may_be_repeated), well, false},
        end_case{"a_checkpoint_or_a_schema", asking(&record_wishes::is_judged_later), well, false},
        end_case{"open_stdin", asking(&record_wishes::keeps_stdin_open), well, false},
        end_case{"files_that_come_with_the_end", asking(&record_wishes::wants_files), well, true},
        end_case{"files_that_are_to_be_fetched", asking(&record_wishes::wants_files), {.files_come_with_end = false}, false},
        end_case{"no_files_and_no_collector", plain, {.files_come_with_end = false}, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RecordWishes, AreReadFromTheSpec)
{
    execution_spec spec;
    EXPECT_FALSE(wishes_of(spec, false, true).may_be_repeated);
    EXPECT_TRUE(wishes_of(spec, false, true).awaits_end);
    EXPECT_TRUE(wishes_of(spec, true, false).has_key);
    spec.retry.exit_codes = {3};
    EXPECT_TRUE(wishes_of(spec, false, true).may_be_repeated);
    spec.retry = {};
    spec.retry.faults = {attempt_fault::program};
    EXPECT_TRUE(wishes_of(spec, false, true).may_be_repeated);
    spec.compile.emplace();
    EXPECT_TRUE(wishes_of(spec, false, true).compiles);
    spec.checkpoint.emplace();
    EXPECT_TRUE(wishes_of(spec, false, true).is_judged_later);
    spec.stdin_open = true;
    EXPECT_TRUE(wishes_of(spec, false, true).keeps_stdin_open);
    spec.collect.patterns = {"**"};
    EXPECT_TRUE(wishes_of(spec, false, true).wants_files);
    spec.files.push_back({.path = "large", .content = shared_bytes(std::string(small_spec_bytes + 1, 'x'))});
    EXPECT_TRUE(wishes_of(spec, false, true).is_large);
    spec.files.clear();
    EXPECT_FALSE(wishes_of(spec, false, true).is_large);
    spec.stdin_data = shared_bytes(std::string(small_spec_bytes + 1, 'x'));
    EXPECT_TRUE(wishes_of(spec, false, true).is_large);
}

}    // namespace
}    // namespace caisson
