#include "app/server/name_lookups.hpp"
#include "app/server/webhook_sender.hpp"
#include "core/async/task_group.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using addresses = name_lookups::addresses;

class no_log : public logger {
public:
    void write(log_level, std::string_view, std::initializer_list<log_field>) noexcept override { }
};

/// Name servers: one that is silent lets everybody wait until it is heard of again. Outlives the threads that ask.
struct name_servers {
    addresses ask(const std::string& name)
    {
        std::unique_lock lock(guard);
        ++asked;
        changed.notify_all();
        changed.wait(lock, [&] { return !silent; });
        const auto found = known.find(name);
        ++answered;
        changed.notify_all();
        if (name == "broken")
            throw std::bad_alloc();
        return found == known.end() ? addresses() : found->second;
    }
    void speak()
    {
        const std::lock_guard lock(guard);
        silent = false;
        changed.notify_all();
    }
    /// Blocks until so many were asked for, or given an answer.
    void wait_for(const int& count, int wanted)
    {
        std::unique_lock lock(guard);
        changed.wait(lock, [&] { return count >= wanted; });
    }

    std::mutex guard;
    std::condition_variable changed;
    bool silent = false;
    int asked = 0;
    int answered = 0;
    std::map<std::string, addresses> known;
};

addresses of(std::initializer_list<const char*> texts)
{
    addresses out;
    for (const auto* text : texts)
        out.push_back(asio::ip::make_address(text));
    return out;
}

class NameLookups : public ::testing::Test {
protected:
    ~NameLookups() override
    {
        servers->speak();
        int wanted = 0;
        {
            const std::lock_guard lock(servers->guard);
            wanted = servers->asked;
        }
        servers->wait_for(servers->answered, wanted);
    }
    name_lookups::resolver resolver() const
    {
        return [shared = servers](const std::string& name) { return shared->ask(name); };
    }
    static task<> keep(name_lookups* names, std::string name, int* ended)
    {
        const auto found = co_await names->find(std::move(name));
        static_cast<void>(found);
        ++*ended;
    }

    asio::io_context context{1};
    std::shared_ptr<name_servers> servers = std::make_shared<name_servers>();
    no_log log;
};

TEST_F(NameLookups, GiveWhatTheSystemSays)
{
    servers->known["two.example"] = of({"192.0.2.1", "2001:db8::1"});
    name_lookups names(context.get_executor(), 10, resolver());
    EXPECT_EQ(testing::run_task(context, names.find("two.example")).value(), of({"192.0.2.1", "2001:db8::1"}));
    const auto none = testing::run_task(context, names.find("none.example"));
    EXPECT_EQ(none.error().code, errc::runtime_unavailable);
    EXPECT_EQ(none.error().detail, "the name none.example stands for no address");
    EXPECT_TRUE(testing::run_task(context, names.find("broken")).has_error());
    EXPECT_EQ(names.under_way(), 0u);
}

TEST_F(NameLookups, AskTheSystem)
{
    const auto found = name_lookups::ask_system("localhost");
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found.front().is_loopback());
}

TEST_F(NameLookups, ASilentServerHoldsUpNoOtherName)
{
    servers->silent = true;
    name_lookups names(context.get_executor(), 10, resolver());
    task_group waiting(context.get_executor(), log);
    int ended = 0;
    for (int i = 0; i < 9; ++i)
        waiting.spawn("one", keep(&names, "slow.example", &ended));
    context.poll();
    servers->wait_for(servers->asked, 9);
    const auto too_many = [&] {
        waiting.spawn("tenth", keep(&names, "slow.example", &ended));
        context.poll();
        return testing::run_task(context, names.find("x.example"));
    }();
    EXPECT_EQ(too_many.error().detail, "too many names are being looked up; the name x.example has to wait");
    servers->speak();
    testing::run_task(context, waiting.wait_idle());
    EXPECT_EQ(ended, 10);
    EXPECT_EQ(names.under_way(), 0u);
}

TEST_F(NameLookups, WhoIsCancelledDoesNotWait)
{
    servers->silent = true;
    name_lookups names(context.get_executor(), 10, resolver());
    task_group waiting(context.get_executor(), log);
    int ended = 0;
    waiting.spawn("one", keep(&names, "slow.example", &ended));
    context.poll();
    servers->wait_for(servers->asked, 1);
    testing::run_task(context, waiting.stop());
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(names.under_way(), 1u) << "its thread goes on, and counts";
}

TEST_F(NameLookups, MayBeGoneBeforeTheirThreads)
{
    servers->silent = true;
    {
        asio::io_context gone{1};
        name_lookups names(gone.get_executor(), 10, resolver());
        task_group waiting(gone.get_executor(), log);
        int ended = 0;
        waiting.spawn("one", keep(&names, "slow.example", &ended));
        gone.poll();
        servers->wait_for(servers->asked, 1);
        testing::run_task(gone, waiting.stop());
    }
    servers->speak();
}

struct route_case {
    std::string_view name;
    std::string url;
    http_webhook_sender::reach where;
    std::string want;    // the addresses, or the error
};
void PrintTo(const route_case& one, std::ostream* out) { *out << one.name; }

class WebhookRoute : public ::testing::TestWithParam<route_case> { };
TEST_P(WebhookRoute, IsWhatTheHostStandsFor)
{
    asio::io_context context{1};
    testing::fake_timers time{context.get_executor()};
    const auto resolver = [](const std::string& name) {
        return name == "inside.example"   ? of({"10.0.0.1", "::1"})
               : name == "both.example"   ? of({"10.0.0.1", "8.8.8.8"})
               : name == "itself.example" ? of({"9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9", "64:ff9b::909:909"})
               : name == "near.example"   ? of({"9.9.9.9", "9.9.9.10"})
                                          : addresses();
    };
    const auto own = [] { return of({"127.0.0.1", "9.9.9.9", "2620:fe::fe"}); };
    http_webhook_sender sender(context.get_executor(), time, GetParam().where, 10, resolver, own);
    const auto found = testing::run_task(context, sender.look_up(GetParam().url));
    std::string got;
    if (found.has_error())
        got = std::string(found.error().code == errc::forbidden ? "forbidden: " : "") + found.error().detail;
    else
        for (const auto& each : *found)
            got += (got.empty() ? "" : " ") + each.to_string();
    EXPECT_EQ(got, GetParam().want);
}
using reach = http_webhook_sender::reach;
INSTANTIATE_TEST_SUITE_P(Cases, WebhookRoute,
    ::testing::Values(route_case{"of_both_the_public_one", "http://both.example/", reach::public_only, "8.8.8.8"},
        route_case{"both", "http://both.example/", reach::everywhere, "10.0.0.1 8.8.8.8"},
        route_case{"private", "https://inside.example/", reach::public_only,
            "forbidden: inside.example has only private addresses or this host's own, and this server sends to neither"},
        route_case{"private_allowed", "https://inside.example/", reach::everywhere, "10.0.0.1 ::1"},
        route_case{"of_this_host", "https://itself.example/", reach::public_only,
            "forbidden: itself.example has only private addresses or this host's own, and this server sends to neither"},
        route_case{
            "of_this_host_allowed", "https://itself.example/", reach::everywhere, "9.9.9.9 2620:fe::fe ::ffff:9.9.9.9 64:ff9b::909:909"},
        route_case{"of_this_host_and_another", "https://near.example/", reach::public_only, "9.9.9.10"},
        route_case{"literal_of_this_host", "http://9.9.9.9/", reach::public_only,
            "forbidden: 9.9.9.9 has only private addresses or this host's own, and this server sends to neither"},
        route_case{"unknown", "http://nowhere.example/", reach::everywhere, "the name nowhere.example stands for no address"},
        route_case{"literal", "http://8.8.8.8:80/", reach::public_only, "8.8.8.8"},
        route_case{"literal_of_version_6", "http://[::1]/", reach::everywhere, "::1"},
        route_case{"private_literal", "http://[::1]/", reach::public_only,
            "forbidden: ::1 has only private addresses or this host's own, and this server sends to neither"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
