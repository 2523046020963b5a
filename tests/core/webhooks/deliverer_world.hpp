#pragma once

#include "adapters/crypto/digest.hpp"
#include "core/webhooks/deliverer.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/fake_webhooks.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson::delivering {

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

    task<result<webhook_route>> look_up(std::string url) override
    {
        ++looking[url];
        while (corked_names.contains(url)) {
            const auto seen = released_.version();
            co_await released_.wait_past(seen);
        }
        --looking[url];
        if (nowhere.contains(url))
            co_return nowhere.at(url);
        co_return webhook_route{asio::ip::make_address("192.0.2.1")};
    }
    task<webhook_answer> post(webhook_message message, webhook_route to, std::chrono::milliseconds timeout) override
    {
        EXPECT_EQ(to, webhook_route{asio::ip::make_address("192.0.2.1")});
        timeouts.push_back(timeout);
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
        corked_names.erase(url);
        released_.notify_all();
    }
    std::size_t sent_to(const std::string& url) const
    {
        return static_cast<std::size_t>(std::ranges::count(sent, url, &webhook_message::url));
    }

    std::vector<webhook_message> sent;
    std::set<std::string> corked;
    std::set<std::string> corked_names;
    std::map<std::string, error> nowhere;
    std::map<std::string, int> looking;    // lookups that are under way
    std::vector<std::chrono::milliseconds> timeouts;
    std::map<std::string, std::vector<webhook_answer>> answers;    // one after another, then 200

private:
    notifier released_;
};

inline execution_id numbered(int number)
{
    auto digits = std::to_string(number);
    return execution_id::from_trusted("exe_" + std::string(26 - digits.size(), '0') + digits);
}
inline const auto acme = tenant_id::from_trusted("ten_a");
inline const auto beta = tenant_id::from_trusted("ten_b");
inline double no_jitter() { return 1; }

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

}    // namespace caisson::delivering
