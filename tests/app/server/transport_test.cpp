#include "app/server/transport.hpp"

#include "core/async/task_group.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class kept_log : public logger {
public:
    void write(log_level level, std::string_view message, std::initializer_list<log_field> fields) noexcept override
    {
        auto line = std::string(level == log_level::error ? "E " : level == log_level::warning ? "W " : "I ") + std::string(message);
        for (const auto& field : fields)
            line += " " + boost::json::serialize(field.value);
        lines.push_back(std::move(line));
    }
    std::vector<std::string> lines;
};

class no_answers : public net::handler {
    task<> handle(net::exchange&) override { co_return; }
};

class Transport : public ::testing::Test {
protected:
    void TearDown() override
    {
        caisson::testing::run_task(context, tasks.stop());
        caisson::testing::run_task(context, web.stop(time.steady_now()));
    }

    void use(const net::tls_files& files)
    {
        config.http.tls.certificate = files.certificate;
        config.http.tls.key = files.key;
    }
    void begin()
    {
        EXPECT_TRUE(of.prepare(1 << 20).has_value());
        tasks.spawn("watch", of.watch());
        settle();
        log.lines.clear();
    }
    void pass(std::chrono::milliseconds how_long)
    {
        time.advance(how_long);
        settle();
    }
    void settle()
    {
        context.restart();
        while (context.poll() > 0) { }
    }

    asio::io_context context{1};
    caisson::testing::fake_timers time{context.get_executor(), system_clock().now_ms()};
    caisson::testing::certificate_workshop shop;
    kept_log log;
    no_answers nobody;
    server_config config;
    net::server web{context.get_executor(), time, log, nobody};
    transport of{config, web, context.get_executor(), time, log};
    task_group tasks{context.get_executor(), log};
};

TEST_F(Transport, SaysNothingOfAPlainServerOnThisMachine)
{
    EXPECT_TRUE(of.prepare(1 << 20).has_value());
    EXPECT_THAT(log.lines, IsEmpty());
    EXPECT_FALSE(of.certificate());
}

TEST_F(Transport, WarnsOfAPlainServerForOthers)
{
    for (const auto* host : {"0.0.0.0", "::", "192.0.2.1", "example.org"}) {
        log.lines.clear();
        config.listen_host = host;
        EXPECT_TRUE(of.prepare(1 << 20).has_value());
        EXPECT_THAT(log.lines, Contains(HasSubstr("UNENCRYPTED"))) << host;
    }
}

TEST_F(Transport, WarnsOfTooFewDescriptors)
{
    config.http.max_connections = 10'000;
    EXPECT_TRUE(of.prepare(10'256).has_value());
    EXPECT_THAT(log.lines, IsEmpty());
    EXPECT_TRUE(of.prepare(10'255).has_value());
    EXPECT_THAT(log.lines, Contains(HasSubstr("fewer descriptors than connections")));
}

TEST_F(Transport, RefusesAPairThatCannotBeUsed)
{
    use({shop.path("none.pem"), shop.path("none.key")});
    EXPECT_THAT(of.prepare(1 << 20).error().detail, HasSubstr("none.pem"));
}

TEST_F(Transport, TakesNewFilesWithinSecondsAndOnlyThen)
{
    use(shop.make("a"));
    begin();
    pass(10s);
    EXPECT_THAT(log.lines, IsEmpty());
    shop.make("a", {.names = "DNS:renewed"});
    pass(10s);
    EXPECT_THAT(log.lines, Contains(HasSubstr("renewed")));
    EXPECT_TRUE(of.certificate()->valid);
    log.lines.clear();
    pass(10s);
    EXPECT_THAT(log.lines, IsEmpty());
}

TEST_F(Transport, KeepsTheOldPairUntilTheNewOneIsWhole)
{
    use(shop.make("a"));
    begin();
    const auto renewed = shop.make("b", {.names = "DNS:renewed"});
    std::filesystem::rename(renewed.certificate, config.http.tls.certificate);
    pass(10s);
    EXPECT_THAT(log.lines, Contains(HasSubstr("E the TLS certificate stays the old one")));
    EXPECT_THAT(log.lines, Not(Contains(HasSubstr("new connections"))));
    std::filesystem::rename(renewed.key, config.http.tls.key);
    pass(10s);
    EXPECT_THAT(log.lines, Contains(HasSubstr("renewed")));
}

TEST_F(Transport, WarnsOnceADayWhileTheCertificateIsAboutToExpire)
{
    use(shop.make("a", {.ends = 24h * 3}));
    begin();
    pass(23h);
    EXPECT_THAT(log.lines, IsEmpty());
    pass(2h);
    EXPECT_THAT(log.lines, Contains(HasSubstr("W the TLS certificate expires in 1 day")));
    pass(48h);
    EXPECT_THAT(log.lines, Contains(HasSubstr("W the TLS certificate expired on")));
    EXPECT_FALSE(of.certificate()->valid);
}

}    // namespace

}    // namespace caisson
