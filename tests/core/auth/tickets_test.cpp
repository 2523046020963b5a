#include "core/auth/tickets.hpp"

#include "tests/support/fake_timers.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using std::chrono::seconds;

std::string fake_digest(std::string_view text) { return "hash:" + std::string(text); }

principal holder(const std::string& key) { return {tenant_id::from_trusted("ten_1"), "acme", key_id::from_trusted(key), {scope::run}}; }

class TicketOffice : public ::testing::Test {
protected:
    asio::io_context io_;
    caisson::testing::fake_timers time_{io_.get_executor()};
    ticket_office office_{time_, &fake_digest, {.lifetime = seconds(60), .max_per_key = 2, .max_tickets = 3}};
};

TEST_F(TicketOffice, NamesTheKeyOfATicketWithoutUsingIt)
{
    const auto ticket = office_.issue(holder("key_1")).value();
    EXPECT_EQ(office_.key_of(ticket), key_id::from_trusted("key_1"));
    EXPECT_EQ(office_.key_of(ticket + "x"), std::nullopt);
    EXPECT_EQ(office_.key_of(std::string(1'000, 'x')), std::nullopt);
    EXPECT_TRUE(office_.redeem(ticket).has_value());
    EXPECT_EQ(office_.key_of(ticket), std::nullopt);
}

TEST_F(TicketOffice, RedeemsOnce)
{
    const auto ticket = office_.issue(holder("key_1")).value();
    EXPECT_EQ(ticket.size(), 47u);
    EXPECT_TRUE(ticket.starts_with("tkt_"));
    const auto who = office_.redeem(ticket);
    ASSERT_TRUE(who.has_value());
    EXPECT_EQ(who->who.key.str(), "key_1");
    EXPECT_EQ(who->who.tenant_name, "acme");
    EXPECT_FALSE(who->is_again);
    const auto again = office_.redeem(ticket);
    ASSERT_TRUE(again.has_error());
    EXPECT_EQ(again.error().code, errc::unauthorized);
}

TEST_F(TicketOffice, RefusesWhatItDidNotIssue)
{
    EXPECT_TRUE(office_.redeem("").has_error());
    EXPECT_TRUE(office_.redeem("tkt_" + std::string(43, 'a')).has_error());
    EXPECT_TRUE(office_.redeem(std::string(1 << 20, 'a')).has_error());
}

TEST_F(TicketOffice, LetsAStreamBeOpenedAgainAndNothingElse)
{
    const auto ticket = office_.issue(holder("key_1")).value();
    ASSERT_FALSE(office_.redeem(ticket, "events of exe_1").has_error());
    EXPECT_TRUE(office_.redeem(ticket).has_error());
    EXPECT_TRUE(office_.redeem(ticket, "events of exe_2").has_error());
    time_.advance(std::chrono::hours(24));
    const auto again = office_.redeem(ticket, "events of exe_1");
    ASSERT_FALSE(again.has_error());
    EXPECT_TRUE(again->is_again);
    time_.advance(std::chrono::hours(1));
    EXPECT_TRUE(office_.redeem(ticket, "events of exe_1").has_error());
}

TEST_F(TicketOffice, EndsAStreamsTicket)
{
    const auto ticket = office_.issue(holder("key_1")).value();
    ASSERT_FALSE(office_.redeem(ticket, "events of exe_1").has_error());
    office_.end(ticket);
    EXPECT_TRUE(office_.redeem(ticket, "events of exe_1").has_error());
}

TEST_F(TicketOffice, BoundsTheStreamsOfAKey)
{
    ticket_office office(time_, &fake_digest, {.max_streams_per_key = 1});
    const auto first = office.issue(holder("key_1")).value();
    const auto second = office.issue(holder("key_1")).value();
    ASSERT_FALSE(office.redeem(first, "events of exe_1").has_error());
    ASSERT_FALSE(office.redeem(second, "events of exe_1").has_error());
    EXPECT_FALSE(office.redeem(first, "events of exe_1").has_error());
    EXPECT_TRUE(office.redeem(second, "events of exe_1").has_error()) << "it was used up";
}

TEST_F(TicketOffice, StreamsKeepNobodyFromATicket)
{
    ticket_office office(time_, &fake_digest, {.max_tickets = 1, .max_streams = 1});
    for (int i = 0; i < 3; ++i) {
        const auto ticket = office.issue(holder("key_1"));
        ASSERT_FALSE(ticket.has_error()) << i;
        ASSERT_FALSE(office.redeem(*ticket, "events of exe_1").has_error());
    }
}

TEST_F(TicketOffice, LastsAMinute)
{
    const auto one = office_.issue(holder("key_1")).value();
    const auto two = office_.issue(holder("key_1")).value();
    time_.advance(seconds(60) - std::chrono::milliseconds(1));
    EXPECT_TRUE(office_.redeem(one).has_value());
    time_.advance(std::chrono::milliseconds(1));
    EXPECT_TRUE(office_.redeem(two).has_error());
}

TEST_F(TicketOffice, BoundsTheTicketsOfAKey)
{
    ASSERT_TRUE(office_.issue(holder("key_1")).has_value());
    ASSERT_TRUE(office_.issue(holder("key_1")).has_value());
    const auto third = office_.issue(holder("key_1"));
    ASSERT_TRUE(third.has_error());
    EXPECT_EQ(third.error().code, errc::rate_limited);
    EXPECT_TRUE(office_.issue(holder("key_2")).has_value());
}

TEST_F(TicketOffice, BoundsAllTicketsUntilOldOnesEnd)
{
    for (const auto* key : {"key_1", "key_2", "key_3"})
        ASSERT_TRUE(office_.issue(holder(key)).has_value());
    EXPECT_TRUE(office_.issue(holder("key_4")).has_error());
    time_.advance(seconds(60));
    EXPECT_TRUE(office_.issue(holder("key_4")).has_value());
}

}    // namespace
}    // namespace caisson
