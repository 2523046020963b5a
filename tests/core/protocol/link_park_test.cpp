#include "tests/core/protocol/link_state_fixture.hpp"

#include <fcntl.h>

/// What the server's end says of a program that is to wait.
namespace caisson::protocol {
namespace {

TEST_F(LinkState, HearsWhatCameOfAPark)
{
    park_request request;
    request.program.argv = {"python3"};
    std::string frame;
    ASSERT_TRUE(encode_frame(frame, 1, request));
    state.park(frame, nullptr);
    EXPECT_EQ(batch(), "PARK");
    EXPECT_EQ(batch(), "");
    EXPECT_EQ(state.was_parked(), std::nullopt);
    std::string answer;
    encode_frame(answer, parked{5, "park"});
    EXPECT_TRUE(state.on_frame(frames_of(answer).at(0).view()));
    EXPECT_EQ(state.was_parked(), false);
    answer.clear();
    encode_frame(answer, parked{});
    EXPECT_TRUE(state.on_frame(frames_of(answer).at(0).view()));
    EXPECT_EQ(state.was_parked(), true);
    EXPECT_FALSE(state.on_frame(bare(frame_type::parked, 0).view()));
}

TEST_F(LinkState, AParkComesFirstWithItsOwnDescriptors)
{
    const auto nulls = [](std::size_t count) {
        std::vector<unique_fd> fds;
        for (std::size_t i = 0; i < count; ++i)
            fds.emplace_back(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        return std::make_shared<const std::vector<unique_fd>>(std::move(fds));
    };
    std::string frame;
    ASSERT_TRUE(encode_frame(frame, 1, park_request{}));
    attach();
    at(1).spawn(simple(), nulls(1));
    state.park(frame, nulls(2));
    EXPECT_EQ(batch(), "PARK");
    EXPECT_EQ(descriptors, 2u);
    EXPECT_EQ(batch(), "SPAWN1(0) STDIN_EOF1(0)");
    EXPECT_EQ(descriptors, 1u);
    std::string answer;
    encode_frame(answer, parked{5, "park"});
    EXPECT_TRUE(state.on_frame(frames_of(answer).at(0).view()));
    state.park(frame, nullptr);
    EXPECT_EQ(state.was_parked(), std::nullopt) << "nothing is known of the second";
    EXPECT_EQ(batch(), "PARK");
    EXPECT_EQ(descriptors, 0u);
}

}    // namespace
}    // namespace caisson::protocol
