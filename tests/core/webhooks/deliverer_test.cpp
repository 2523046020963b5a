#include "tests/core/webhooks/deliverer_world.hpp"

namespace caisson {
namespace {

using namespace delivering;

TEST_F(Deliverer, SendsASignedMessageWhenAnExecutionEnds)
{
    end(1, "http://a/x");
    settle();
    ASSERT_EQ(sender.sent.size(), 1u);
    const auto& got = sender.sent[0];
    EXPECT_EQ(got.body, "{\"execution_id\":\"" + numbered(1).str() + "\"}");
    EXPECT_EQ(got.fields, signed_fields(delivery_of(numbered(1)).str(), time.now_ms() / 1000, got.body, "0123456789abcdef", &hmac_sha256));
    EXPECT_EQ(status(1).state, webhook_state::delivered);
    EXPECT_EQ(status(1).attempts, 1);
    EXPECT_EQ(status(1).last_status, 200);
    EXPECT_EQ(deliverer->in_flight(), 0u);
    pass(24h);
    EXPECT_EQ(sender.sent.size(), 1u);
}

TEST_F(Deliverer, WhatHasNotEndedWaits)
{
    store.insert(numbered(1), acme, "http://a/", "0123456789abcdef");
    deliverer->wake();
    pass(1h);
    EXPECT_TRUE(sender.sent.empty());
}

TEST_F(Deliverer, TriesAgainByTheSchedule)
{
    sender.answers["http://a/"] = {{500, "", false}, {{}, "cannot connect", false}};
    end(1, "http://a/");
    settle();
    EXPECT_EQ(status(1).state, webhook_state::pending);
    EXPECT_EQ(status(1).next_attempt_at_ms, time.now_ms() + 1'000);
    pass(999ms);
    EXPECT_EQ(sender.sent.size(), 1u);
    pass(1ms);
    EXPECT_EQ(sender.sent.size(), 2u);
    EXPECT_EQ(status(1).last_error, "cannot connect");
    EXPECT_EQ(status(1).last_status, std::nullopt);
    pass(2'999ms);
    EXPECT_EQ(sender.sent.size(), 2u);
    pass(1ms);
    EXPECT_EQ(status(1).state, webhook_state::delivered);
    EXPECT_EQ(status(1).attempts, 3);
    EXPECT_EQ(status(1).last_error, "");
    EXPECT_EQ(sender.sent[0].fields[0], sender.sent[2].fields[0]) << "the id stays";
    EXPECT_NE(sender.sent[0].fields[1], sender.sent[2].fields[1]) << "the time does not";
}

TEST_F(Deliverer, WhatBecomesDueBetweenTwoLooksIsSentAtOnce)
{
    sender.answers["http://a/"] = {{500, "", false}};
    end(1, "http://a/");
    settle();    // the next attempt is due in 1 s
    ASSERT_EQ(status(1).attempts, 1);
    store.between_due_and_next_due = [this] { time.advance(2s); };    // as a busy host does
    deliverer->wake();
    settle();
    EXPECT_FALSE(store.between_due_and_next_due);
    EXPECT_EQ(status(1).state, webhook_state::delivered);
    EXPECT_EQ(sender.sent.size(), 2u);
}

TEST_F(Deliverer, GivesUpAfterTheLastAttempt)
{
    sender.answers["http://a/"] = std::vector<webhook_answer>(5, {503, "", false});
    end(1, "http://a/");
    settle();
    pass(1s);
    pass(3s);
    EXPECT_EQ(status(1).state, webhook_state::failed);
    EXPECT_EQ(status(1).next_attempt_at_ms, std::nullopt);
    pass(48h);
    EXPECT_EQ(sender.sent.size(), 3u);
    EXPECT_EQ(log.lines.back(), "a webhook is given up");
}

TEST_F(Deliverer, ADeadReceiverHoldsUpNobodyElse)
{
    sender.corked = {"http://dead/"};
    for (int i = 1; i <= 50; ++i)
        end(i, "http://dead/");
    settle();
    EXPECT_EQ(sender.sent_to("http://dead/"), 4u);
    end(51, "http://alive/");
    end(52, "http://alive/", beta);
    end(53, "http://dead/", beta);
    settle();
    EXPECT_EQ(status(51).state, webhook_state::delivered) << "another receiver of the same tenant";
    EXPECT_EQ(status(52, beta).state, webhook_state::delivered);
    EXPECT_EQ(sender.sent_to("http://dead/"), 5u) << "bounds are each tenant's own";
    sender.release("http://dead/");
    settle();
    EXPECT_EQ(sender.sent_to("http://dead/"), 51u);
    EXPECT_EQ(deliverer->in_flight(), 0u);
}

TEST_F(Deliverer, ATenantWithManyDeadReceiversHoldsUpNobodyElse)
{
    for (int i = 1; i <= 50; ++i) {
        const auto url = "http://dead" + std::to_string(i) + "/";
        sender.corked.insert(url);
        end(i, url);
    }
    settle();
    EXPECT_EQ(sender.sent.size(), 6u);
    end(51, "http://alive/", beta);
    settle();
    EXPECT_EQ(status(51, beta).state, webhook_state::delivered);
}

TEST_F(Deliverer, AllTogetherAreBounded)
{
    for (int i = 1; i <= 12; ++i) {
        const auto tenant = tenant_id::from_trusted("ten_" + std::string(1, static_cast<char>('a' + i)));
        end(i, "http://dead/", tenant);
    }
    sender.corked = {"http://dead/"};
    settle();
    EXPECT_EQ(sender.sent.size(), 10u);
    sender.release("http://dead/");
    settle();
    EXPECT_EQ(sender.sent.size(), 12u);
}

TEST_F(Deliverer, WhatWasCutOffIsSentAgainByTheNext)
{
    sender.corked = {"http://a/"};
    end(1, "http://a/");
    settle();
    EXPECT_EQ(sender.sent.size(), 1u);
    stop();
    sender.corked.clear();
    start();
    EXPECT_EQ(sender.sent.size(), 2u);
    EXPECT_EQ(status(1).state, webhook_state::delivered);
    EXPECT_EQ(status(1).attempts, 1);
}

TEST_F(Deliverer, TheNextGoesOnWithTheSchedule)
{
    sender.answers["http://a/"] = {{500, "", false}};
    end(1, "http://a/");
    settle();
    stop();
    start();
    pass(900ms);
    EXPECT_EQ(sender.sent.size(), 1u);
    pass(100ms);
    EXPECT_EQ(sender.sent.size(), 2u);
    EXPECT_EQ(status(1).attempts, 2);
}

TEST_F(Deliverer, WhatCannotBeNotedIsNotSentAgain)
{
    sender.corked = {"http://a/"};
    end(1, "http://a/");
    settle();
    store.throw_next("the disk is full");
    store.throw_next("the disk is full");
    sender.release("http://a/");
    settle();
    EXPECT_EQ(deliverer->in_flight(), 1u);
    pass(5s);
    pass(5s);
    EXPECT_EQ(sender.sent.size(), 1u);
    EXPECT_EQ(status(1).state, webhook_state::delivered);
    EXPECT_EQ(std::ranges::count(log.lines, "a webhook's state cannot be stored"), 2);
}

TEST_F(Deliverer, GoesOnWhenTheStoreFails)
{
    store.throw_next("the disk is full");
    end(1, "http://a/");
    settle();
    EXPECT_TRUE(sender.sent.empty());
    EXPECT_EQ(log.lines.at(0), "webhooks cannot be looked for");
    pass(5s);
    EXPECT_EQ(status(1).state, webhook_state::delivered);
}

TEST_F(Deliverer, WhatIsRemovedWhileItIsSentIsForgotten)
{
    sender.corked = {"http://a/"};
    end(1, "http://a/");
    settle();
    store.erase(numbered(1));
    sender.release("http://a/");
    settle();
    EXPECT_EQ(deliverer->in_flight(), 0u);
    pass(1h);
    EXPECT_EQ(sender.sent.size(), 1u);
}

TEST_F(Deliverer, WhatIsGoneIsNotSent)
{
    removed = numbered(1);
    end(1, "http://a/");
    end(2, "http://a/");
    settle();
    EXPECT_EQ(sender.sent.size(), 1u);
    EXPECT_EQ(status(1).state, webhook_state::failed);
    EXPECT_EQ(status(2).state, webhook_state::delivered);
}

TEST_F(Deliverer, ForgetsAfterAWeek)
{
    end(1, "http://a/");
    settle();
    EXPECT_EQ(store.size(), 1u);
    for (int day = 0; day < 8; ++day)
        pass(24h);
    EXPECT_EQ(store.size(), 0u);
}

}    // namespace
}    // namespace caisson
