#include "tests/core/webhooks/deliverer_world.hpp"

namespace caisson {
namespace {

using namespace delivering;

class DelivererLookup : public Deliverer { };

TEST_F(DelivererLookup, NamesThatNobodyAnswersForHoldUpNobodyElse)
{
    options.max_in_flight = 4;
    stop();
    start();
    for (int i = 1; i <= 50; ++i) {
        const auto url = "http://h" + std::to_string(i) + ".slow/";
        sender.corked_names.insert(url);
        end(i, url);
    }
    settle();
    EXPECT_EQ(deliverer->in_flight(), 2u) << "of one tenant";
    end(51, "http://alive/", beta);
    settle();
    EXPECT_EQ(status(51, beta).state, webhook_state::delivered);
    pass(10s);
    EXPECT_EQ(deliverer->in_flight(), 2u) << "they are looked up still, though their attempts are over";
    sender.release("http://h1.slow/");
    settle();
    EXPECT_EQ(status(1).last_error, "the receiver's name was not found within 10000 ms");
    EXPECT_EQ(status(1).attempts, 1);
    EXPECT_EQ(status(3).attempts, 0) << "the time of one that waits does not run";
    EXPECT_EQ(deliverer->in_flight(), 2u) << "the next had its turn";
    pass(60s);
    EXPECT_EQ(status(2).attempts, 1) << "no name server is waited for longer";
}

TEST_F(DelivererLookup, AnAttemptsTimeBeginsWithItsLookup)
{
    sender.corked_names.insert("http://a/");
    end(1, "http://a/");
    settle();
    pass(4s);
    sender.release("http://a/");
    settle();
    EXPECT_EQ(sender.timeouts, std::vector{std::chrono::milliseconds(6s)});
    sender.answers["http://b/"] = {{.failure = "no answer", .late = true}};
    end(2, "http://b/");
    settle();
    EXPECT_EQ(status(2).last_error, "the receiver did not answer within 10000 ms");
}

TEST_F(DelivererLookup, ANameThatMayNotBeSentToEndsIt)
{
    sender.nowhere = {{"http://inside/", {errc::forbidden, "it is private"}}, {"http://gone/", {errc::runtime_unavailable, "no address"}}};
    end(1, "http://inside/");
    end(2, "http://gone/");
    settle();
    EXPECT_EQ(status(1).state, webhook_state::failed);
    EXPECT_EQ(status(1).last_error, "it is private");
    EXPECT_EQ(status(2).state, webhook_state::pending);
    EXPECT_EQ(status(2).last_error, "no address");
    EXPECT_TRUE(sender.sent.empty());
}

TEST_F(DelivererLookup, AStopDoesNotWaitForNames)
{
    sender.corked_names.insert("http://a/");
    end(1, "http://a/");
    settle();
    stop();    // returns
    EXPECT_EQ(status(1).attempts, 0);
    sender.corked_names.clear();
    start();
    EXPECT_EQ(status(1).state, webhook_state::delivered);
}

}    // namespace
}    // namespace caisson
