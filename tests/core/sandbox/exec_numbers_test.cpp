#include "core/sandbox/exec_numbers.hpp"

#include "core/protocol/frame.hpp"

#include <gtest/gtest.h>

#include <set>

namespace caisson {
namespace {

constexpr std::uint64_t today_ms = 1'795'000'000'000;
constexpr std::uint64_t year_2109_ms = 4'386'000'000'000;

/// What 100 executions in one sandbox need under one server.
void take_all(std::uint64_t epoch, std::set<protocol::exec_number>& all, std::size_t& taken)
{
    exec_numbers numbers(epoch);
    for (int i = 0; i < 400; ++i, ++taken)
        all.insert(numbers.next());
}

TEST(ExecNumbers, AreUsedOnceOverServersAndExecutions)
{
    std::set<protocol::exec_number> all;
    std::size_t taken = 0;
    for (const auto epoch : {std::uint64_t{1}, std::uint64_t{2}, today_ms, today_ms + 1, year_2109_ms})
        take_all(epoch, all, taken);
    for (protocol::exec_number program = exec_numbers::first_program; program <= 100; ++program, ++taken)
        all.insert(program);
    for (protocol::exec_number program = exec_numbers::first_program; program <= 100; ++program)
        for (std::uint64_t nth = 0; nth < exec_numbers::most_compilers; ++nth, ++taken)
            all.insert(exec_numbers::compiler(program, nth));
    EXPECT_EQ(all.size(), taken);
    EXPECT_LE(*all.rbegin(), protocol::max_exec_number);
}

TEST(ExecNumbers, AreNoneThatEarlierVersionsTook)
{
    constexpr std::uint64_t collector = 1 + today_ms;
    constexpr std::uint64_t at_end = (std::uint64_t{1} << 53) + today_ms;
    constexpr std::uint64_t capture = (std::uint64_t{1} << 54) + 2 * today_ms;
    exec_numbers numbers(today_ms + 1);
    const std::set<protocol::exec_number> old{collector, at_end, capture, capture + 1};
    for (int i = 0; i < 400; ++i)
        EXPECT_FALSE(old.contains(numbers.next()));
}

/// A running sandbox of the version before may have one.
TEST(ExecNumbers, KeepTheCompilersOfEarlierVersionsFindable)
{
    EXPECT_EQ(exec_numbers::compiler(exec_numbers::first_program, 0), std::uint64_t{1} << 55);
    EXPECT_EQ(exec_numbers::compiler(exec_numbers::first_program, 31), (std::uint64_t{1} << 55) + 31);
}

}    // namespace
}    // namespace caisson
