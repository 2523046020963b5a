#include "core/webhooks/deliverer.hpp"

#include "core/adapters/crypto/digest.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/fake_webhooks.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using testing::fake_webhook_store;

class kept_log : public logger {
public:
    void write(log_level, std::string_view message, std::initializer_list<log_field>) noexcept override { lines.emplace_back(message); }
    std::vector<std::string> lines;
};

/// Receivers by their URLs. One that is corked takes a message and says nothing until it is let go.
class fake_sender : public webhook_sender {
public:
    explicit fake_sender(io_executor executor) : released_(executor) { }

    task<webhook_answer> post(webhook_message message, std::chrono::milliseconds) override
    {
        const auto url = message.url;
        sent.push_back(std::move(message));
        while (corked.contains(url)) {
            const auto seen = released_.version();
            co_await released_.wait_past(seen);
        }
        auto& list = answers[url];
        webhook_answer out{200, "", false};
        if (!list.empty()) {
            out = list.front();
            list.erase(list.begin());
        }
        co_return out;
    }
    void release(const std::string& url)
    {
        corked.erase(url);
        released_.notify_all();
    }
    std::size_t sent_to(const std::string& url) const
    {
        return static_cast<std::size_t>(std::ranges::count(sent, url, &webhook_message::url));
    }

    std::vector<webhook_message> sent;
    std::set<std::string> corked;
    std::map<std::string, std::vector<webhook_answer>> answers;    // one after another, then 200

private:
    notifier released_;
};

execution_id numbered(int number)
{
    auto digits = std::to_string(number);
    return execution_id::from_trusted("exe_" + std::string(26 - digits.size(), '0') + digits);
}
const auto acme = tenant_id::from_trusted("ten_a");
const auto beta = tenant_id::from_trusted("ten_b");
double no_jitter() { return 1; }

class Deliverer : public ::testing::Test {
protected:
    Deliverer() { start(); }
    ~Deliverer() override { stop(); }

    void start()
    {
        auto body = [this](tenant_id, execution_id execution) { return message_of(execution, execution == removed); };
        webhook_services use{context.get_executor(), time, log, store, sender, std::move(body), &hmac_sha256, *tasks, &no_jitter};
        deliverer.emplace(std::move(use), options);
        tasks->spawn("webhooks", deliverer->run());
        settle();
    }
    void stop()
    {
        testing::run_task(context, tasks->stop());
        deliverer.reset();
        tasks.emplace(context.get_executor(), log);
    }
    static task<result<std::string>> message_of(execution_id execution, bool gone)
    {
        if (gone)
            co_return error{errc::not_found, "gone"};
        co_return "{\"execution_id\":\"" + execution.str() + "\"}";
    }
    void settle()
    {
        context.restart();
        for (int i = 0; i < 3; ++i) {
            while (context.poll() > 0) { }
        }
    }
    void pass(std::chrono::milliseconds by)
    {
        time.advance(by);
        settle();
    }
    /// An execution that ends now.
    void end(int number, const std::string& url, const tenant_id& tenant = acme)
    {
        store.insert(numbered(number), tenant, url, "0123456789abcdef");
        store.make_due(numbered(number), time.now_ms());
        deliverer->wake();
    }
    webhook_status status(int number, const tenant_id& tenant = acme)
    {
        return testing::run_task(context, store.find(tenant, numbered(number))).value();
    }

    asio::io_context context{1};
    testing::fake_timers time{context.get_executor()};
    kept_log log;
    fake_webhook_store store;
    fake_sender sender{context.get_executor()};
    webhook_options options{.schedule = {3, {1s, 3, 1h}}, .max_in_flight = 10, .max_per_tenant = 6, .max_per_receiver = 4};
    execution_id removed;    // its record is gone, its webhook not yet
    std::optional<task_group> tasks{std::in_place, context.get_executor(), log};
    std::optional<webhook_deliverer> deliverer;
};

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
