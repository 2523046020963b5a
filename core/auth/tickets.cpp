#include "core/auth/tickets.hpp"

#include "core/auth/key_text.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t ticket_letters = 43;
constexpr std::size_t max_presented = 64;

}    // namespace

ticket_office::ticket_office(const clock& time, digest_function digest, ticket_options options)
    : time_(time), digest_(digest), options_(options)
{
}

result<std::string> ticket_office::issue(principal who)
{
    drop_old();
    if (by_hash_.size() - streams() >= options_.max_tickets)
        return error{errc::rate_limited, "too many tickets are open; try again in a minute"};
    if (open_tickets_of(who.key, false) >= options_.max_per_key)
        return error{
            errc::rate_limited, "this key has " + std::to_string(options_.max_per_key) + " open tickets; use them or wait a minute"};
    std::string ticket = "tkt_" + random_letters(ticket_letters);
    by_hash_.insert_or_assign(digest_(ticket), entry{std::move(who), time_.steady_now() + options_.lifetime});
    return ticket;
}

result<ticket_office::redeemed> ticket_office::redeem(std::string_view ticket, std::string_view stream)
{
    const error refused{errc::unauthorized, "the ticket is unknown, used or too old; get a new one with POST /v1/tickets"};
    if (ticket.size() > max_presented)
        return refused;
    const auto found = by_hash_.find(digest_(ticket));
    if (found == by_hash_.end())
        return refused;
    auto& known = found->second;
    const auto now = time_.steady_now();
    if (known.ends <= now) {
        by_hash_.erase(found);
        return refused;
    }
    if (!known.stream.empty())
        return known.stream == stream ? result<redeemed>(redeemed{known.who, true}) : refused;
    redeemed first{known.who};
    const bool is_full = streams() >= options_.max_streams || open_tickets_of(known.who.key, true) >= options_.max_streams_per_key;
    if (stream.empty() || is_full) {
        by_hash_.erase(found);
    } else {
        known.stream = stream;
        known.ends = now + options_.stream_lifetime;
    }
    return first;
}

std::optional<key_id> ticket_office::key_of(std::string_view ticket) const
{
    const auto found = ticket.size() > max_presented ? by_hash_.end() : by_hash_.find(digest_(ticket));
    return found == by_hash_.end() ? std::nullopt : std::optional(found->second.who.key);
}

void ticket_office::end(std::string_view ticket) { by_hash_.erase(digest_(ticket)); }

void ticket_office::drop_old()
{
    std::erase_if(by_hash_, [now = time_.steady_now()](const auto& each) { return each.second.ends <= now; });
}

std::size_t ticket_office::open_tickets_of(const key_id& key, bool of_streams) const
{
    const auto counts = [&](const auto& each) { return each.second.who.key == key && each.second.stream.empty() != of_streams; };
    return static_cast<std::size_t>(std::ranges::count_if(by_hash_, counts));
}

std::size_t ticket_office::streams() const
{
    return static_cast<std::size_t>(std::ranges::count_if(by_hash_, [](const auto& each) { return !each.second.stream.empty(); }));
}

}    // namespace caisson
