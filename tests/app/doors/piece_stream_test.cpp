#include "app/doors/http/piece_stream.hpp"
#include "tests/app/doors/fake_exchange.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson::http {
namespace {

using testing::run_task;

task<result<shared_bytes>> given(result<shared_bytes> what) { co_return what; }

class Pieces : public ::testing::Test {
protected:
    void answer(byte_range range)
    {
        auto call = std::make_shared<http::call>(exchange, net::route_match());
        piece_reader read = [this](std::uint64_t offset, std::size_t most) {
            reads.push_back(most);
            if (reads.size() == failing_read)
                return given(error{errc::not_found, "it was deleted"});
            return given(shared_bytes(content.substr(offset, most)));
        };
        run_task(context, answer_in_pieces(std::move(call), head, range, std::move(read)));
    }

    asio::io_context context;
    testing::fake_exchange exchange;
    net::response head;
    std::string content = std::string(100'000, 'a') + std::string(100'000, 'b');
    std::vector<std::size_t> reads;
    std::size_t failing_read = 0;
};

TEST_F(Pieces, AreNoLargerThanTheAnswersShare)
{
    exchange.share = 16 << 10;
    answer({0, content.size()});
    EXPECT_EQ(exchange.sent.text, content);
    EXPECT_TRUE(exchange.sent.finished);
    EXPECT_EQ(*std::ranges::max_element(reads), 16u << 10);
}

TEST_F(Pieces, AreOfTheRangeOnly)
{
    answer({99'999, 2});
    EXPECT_EQ(exchange.sent.text, "ab");
    EXPECT_EQ(reads, std::vector<std::size_t>{2});
}

TEST_F(Pieces, AreNotReadForHead)
{
    exchange.asked.method = "HEAD";
    head.status = 206;
    answer({0, content.size()});
    EXPECT_TRUE(reads.empty());
    EXPECT_TRUE(exchange.sent.finished);
    EXPECT_EQ(exchange.answer->status, 206);
}

TEST_F(Pieces, AnAnswerWhoseFirstCannotBeReadIsAnError)
{
    failing_read = 1;
    answer({0, 5});
    EXPECT_EQ(exchange.answer->status, 404);
    EXPECT_NE(exchange.answer->body.find("it was deleted"), std::string::npos);
}

TEST_F(Pieces, AnAnswerWhoseLaterOneCannotBeReadIsCut)
{
    exchange.share = 50'000;
    failing_read = 2;
    answer({0, content.size()});
    EXPECT_EQ(exchange.sent.text.size(), 50'000u);
    EXPECT_FALSE(exchange.sent.finished);
}

TEST_F(Pieces, AContentThatEndsEarlyIsCut)
{
    answer({0, content.size() + 1});
    EXPECT_EQ(exchange.sent.text, content);
    EXPECT_FALSE(exchange.sent.finished);
}

TEST_F(Pieces, NothingIsReadForAClientThatIsGone)
{
    exchange.share = 50'000;
    exchange.sent.writes_taken = 1;
    answer({0, content.size()});
    EXPECT_EQ(reads.size(), 2u);
    EXPECT_FALSE(exchange.sent.finished);
}

}    // namespace
}    // namespace caisson::http
