#include "core/exec/collect/collect_input.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <ostream>

namespace caisson {
namespace {

using item = collect_input::item;

std::string empty_stream()
{
    std::string out(protocol::collect_magic);
    protocol::append_done(out, {});
    return out;
}

struct end_case {
    std::string_view name;
    bool eof;
    std::optional<protocol::exit_report> exited;
    std::string_view unread;
    std::string_view want;    // of why_ended()
};
void PrintTo(const end_case& c, std::ostream* out) { *out << c.name; }

class CollectInputEnd : public ::testing::TestWithParam<end_case> { };

TEST_P(CollectInputEnd, IsToldOnceNothingMoreCanCome)
{
    const auto& c = GetParam();
    collect_input input;
    if (!c.unread.empty())
        input.add(shared_bytes(std::string(c.unread)));
    if (c.eof)
        input.note_eof();
    if (c.exited)
        input.note_exit(*c.exited);
    const std::string begin = "the sandbox's agent did not collect all files: ";
    EXPECT_EQ(input.why_ended(), c.want.empty() ? "" : begin + std::string(c.want));
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectInputEnd,
    ::testing::Values(end_case{"it_runs", false, {}, "", ""}, end_case{"only_its_output_ended", true, {}, "", ""},
        end_case{"only_its_process_ended", false, protocol::exit_report{.wait_status = 0}, "", ""},
        end_case{"bytes_are_left", true, protocol::exit_report{.wait_status = 0}, "x", ""},
        end_case{"by_itself", true, protocol::exit_report{.wait_status = 3 << 8}, "", "it exited with code 3"},
        end_case{"by_a_signal", true, protocol::exit_report{.wait_status = SIGKILL}, "", "signal 9 ended it"},
        end_case{"by_its_limit", true, protocol::exit_report{.wait_status = SIGKILL, .cause = protocol::exit_cause::wall_limit}, "",
            "it took too long"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CollectInput, IsCompleteWithDone)
{
    collect_input input;
    input.add(shared_bytes(empty_stream()));
    EXPECT_TRUE(input.has_more());
    EXPECT_FALSE(input.is_complete());
    EXPECT_EQ(input.next(), item::done);
    EXPECT_TRUE(input.is_complete());
    EXPECT_FALSE(input.has_more());
}

TEST(CollectInput, TellsItsProgressInSteps)
{
    const auto all = empty_stream();
    collect_input input;
    EXPECT_EQ(input.progress(1), std::nullopt) << "nothing has come";
    input.add(shared_bytes(all));
    EXPECT_EQ(input.progress(1), std::nullopt) << "nothing is done with";
    ASSERT_EQ(input.next(), item::done);
    EXPECT_EQ(input.progress(all.size() + 1), std::nullopt) << "too little";
    EXPECT_EQ(input.progress(all.size()), all.size());
    EXPECT_EQ(input.progress(1), std::nullopt) << "it was told";
}

}    // namespace
}    // namespace caisson
