#include "adapters/host/seccomp_program.hpp"

#include "tests/adapters/host/bpf_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>

namespace caisson {

namespace {

using testing::run_filter;

constexpr std::uint32_t allowed = SECCOMP_RET_ALLOW;

std::uint32_t errno_answer(int code) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(code); }

seccomp_data call_of(int number, std::vector<std::uint64_t> arguments = {}, std::uint32_t architecture = AUDIT_ARCH_X86_64)
{
    seccomp_data call{};
    call.nr = number;
    call.arch = architecture;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        call.args[i] = arguments[i];
    return call;
}

filtered_call refused(std::uint32_t number, int code) { return {number, {{{}, code}}}; }

TEST(SeccompProgram, AnswersEachCallAndNoOther)
{
    std::vector<filtered_call> calls;
    for (const std::uint32_t number : {0U, 3U, 4U, 5U, 9U, 200U, 201U, 1'000U})
        calls.push_back(refused(number, number == 4 ? EIO : EPERM));
    const auto program = seccomp_program(AUDIT_ARCH_X86_64, calls);
    for (int number = 0; number < 1'100; ++number) {
        auto want = allowed;
        for (const auto& each : calls)
            if (each.number == static_cast<std::uint32_t>(number))
                want = errno_answer(each.rules.front().answer);
        EXPECT_EQ(run_filter(program, call_of(number)), want) << number;
    }
}

TEST(SeccompProgram, OfManyCallsJumpsFar)
{
    std::vector<filtered_call> calls;
    for (std::uint32_t number = 0; number < 400; number += 2)
        calls.push_back(refused(number, static_cast<int>(1 + number % 30)));
    const auto program = seccomp_program(AUDIT_ARCH_AARCH64, calls);
    for (int number = 0; number < 402; ++number) {
        const bool is_there = number < 400 && number % 2 == 0;
        EXPECT_EQ(run_filter(program, call_of(number, {}, AUDIT_ARCH_AARCH64)), is_there ? errno_answer(1 + number % 30) : allowed)
            << number;
    }
}

TEST(SeccompProgram, TheFirstRuleThatHoldsDecides)
{
    const auto program = seccomp_program(
        AUDIT_ARCH_X86_64, {{7, {{{{0, comparison::equals, 1}, {1, comparison::above, 5}}, EIO}, {{{0, comparison::equals, 1}}, 0},
                                    {{{0, comparison::has_any, 6}}, kernel_judges}, {{}, EPERM}}}});
    EXPECT_EQ(run_filter(program, call_of(7, {1, 6})), errno_answer(EIO));
    EXPECT_EQ(run_filter(program, call_of(7, {1, 5})), errno_answer(0));
    EXPECT_EQ(run_filter(program, call_of(7, {4, 9})), allowed);
    EXPECT_EQ(run_filter(program, call_of(7, {2, 1})), allowed);
    EXPECT_EQ(run_filter(program, call_of(7, {8, 1})), errno_answer(EPERM));
}

using random_source = std::mt19937;

std::uint32_t any_below(random_source& random, std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); }

argument_test any_test(random_source& random)
{
    constexpr std::uint32_t masks[] = {0xffff'ffff, 0xffff'ffff, 1, 2};
    argument_test test{any_below(random, 3), static_cast<comparison>(any_below(random, 4)), any_below(random, 4)};
    if (test.how != comparison::has_any)
        test.mask = masks[any_below(random, 4)];
    test.upper_half = any_below(random, 8) == 0;
    return test;
}

std::vector<argument_rule> any_rules(random_source& random)
{
    constexpr int answers[] = {0, EPERM, EIO, kernel_judges};
    std::vector<argument_rule> rules(1 + any_below(random, 10));
    for (auto& each : rules) {
        if (&each != rules.data() && any_below(random, 2) == 0)    // as its neighbour begins
            each.when.assign((&each - 1)->when.begin(), (&each - 1)->when.begin() + ((&each - 1)->when.empty() ? 0 : 1));
        for (auto more = any_below(random, 3); more > 0; --more)
            each.when.push_back(any_test(random));
        each.answer = answers[any_below(random, 4)];
    }
    return rules;
}

bool holds(const argument_test& test, const seccomp_data& call)
{
    const auto word = static_cast<std::uint32_t>(call.args[test.argument] >> (test.upper_half ? 32 : 0)) & test.mask;
    switch (test.how) {
    case comparison::equals: return word == test.value;
    case comparison::differs: return word != test.value;
    case comparison::above: return word > test.value;
    case comparison::has_any: break;
    }
    return (word & test.value) != 0;
}

std::uint32_t answer_by_hand(const std::vector<argument_rule>& rules, const seccomp_data& call)
{
    for (const auto& rule : rules)
        if (std::ranges::all_of(rule.when, [&](const auto& test) { return holds(test, call); }))
            return rule.answer == kernel_judges ? allowed : errno_answer(rule.answer);
    return allowed;
}

TEST(SeccompProgram, OfAnyRulesAnswersAsTheyRead)
{
    random_source random(1);
    for (int round = 0; round < 500; ++round) {
        std::vector<filtered_call> calls;
        for (std::uint32_t number = any_below(random, 3); number < 12; number += 1 + any_below(random, 3))
            calls.push_back({number, any_rules(random)});
        const auto program = seccomp_program(AUDIT_ARCH_X86_64, calls);
        for (const auto& each : calls)
            for (int tries = 0; tries < 40; ++tries) {
                const auto word = [&] { return any_below(random, 4) | std::uint64_t{any_below(random, 4)} << 32; };
                const auto call = call_of(static_cast<int>(each.number), {word(), word(), word()});
                ASSERT_EQ(run_filter(program, call), answer_by_hand(each.rules, call)) << "round " << round << ", call " << each.number;
            }
    }
}

struct comparison_case {
    const char* name;
    argument_test test;
    std::uint64_t argument;
    bool holds;
};

class SeccompComparison : public ::testing::TestWithParam<comparison_case> { };

TEST_P(SeccompComparison, HoldsAsSaid)
{
    const auto& c = GetParam();
    const auto program = seccomp_program(AUDIT_ARCH_X86_64, {{1, {{{c.test}, EPERM}}}});
    EXPECT_EQ(run_filter(program, call_of(1, {0, 0, c.argument})), c.holds ? errno_answer(EPERM) : allowed);
}

INSTANTIATE_TEST_SUITE_P(Cases, SeccompComparison,
    ::testing::Values(comparison_case{"equal", {2, comparison::equals, 5}, 5, true},
        comparison_case{"unequal", {2, comparison::equals, 5}, 4, false},
        comparison_case{"bits_above_32", {2, comparison::equals, 5}, 5 | (7ULL << 32), true},
        comparison_case{"masked", {2, comparison::equals, 4, 6}, 5, true},
        comparison_case{"masked_other", {2, comparison::equals, 4, 6}, 7, false},
        comparison_case{"upper", {2, comparison::equals, 3, 0xffff'ffff, true}, 3ULL << 32, true},
        comparison_case{"upper_other", {2, comparison::equals, 3, 0xffff'ffff, true}, 3, false},
        comparison_case{"differs", {2, comparison::differs, 5}, 4, true},
        comparison_case{"differs_not", {2, comparison::differs, 5}, 5, false},
        comparison_case{"differs_masked", {2, comparison::differs, 2, 7}, 10, false},
        comparison_case{"above", {2, comparison::above, 5}, 6, true}, comparison_case{"not_above", {2, comparison::above, 5}, 5, false},
        comparison_case{"negative_is_above", {2, comparison::above, 5}, ~0ULL, true},
        comparison_case{"above_masked", {2, comparison::above, 5, 7}, 14, true},
        comparison_case{"a_bit", {2, comparison::has_any, 6}, 4, true}, comparison_case{"no_bit", {2, comparison::has_any, 6}, 9, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SeccompProgram, ForeignCallsAreNotThere)
{
    const auto program = seccomp_program(AUDIT_ARCH_X86_64, {refused(7, EPERM)});
    for (const auto foreign : std::initializer_list<std::uint32_t>{AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM})
        EXPECT_EQ(run_filter(program, call_of(1, {}, foreign)), errno_answer(ENOSYS));
    EXPECT_EQ(run_filter(program, call_of(0x4000'0001)), errno_answer(ENOSYS)) << "x32";
    EXPECT_EQ(run_filter(program, call_of(-1)), errno_answer(ENOSYS));
    const auto other = seccomp_program(AUDIT_ARCH_AARCH64, {refused(7, EPERM)});
    for (const auto foreign : std::initializer_list<std::uint32_t>{AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64})
        EXPECT_EQ(run_filter(other, call_of(1, {}, foreign)), errno_answer(ENOSYS));
}

TEST(SeccompProgram, ACallThatIsThereTwiceIsAMistake)
{
    EXPECT_THROW(seccomp_program(AUDIT_ARCH_X86_64, {refused(7, EPERM), refused(7, EIO)}), std::invalid_argument);
}

}    // namespace

}    // namespace caisson
