#pragma once

#include "core/auth/ports.hpp"
#include "core/base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson {

/// Bounds of a ticket_office.
struct ticket_options {
    std::chrono::milliseconds lifetime{60'000};
    std::size_t max_per_key = 100;
    std::size_t max_tickets = 10'000;
    std::chrono::milliseconds stream_lifetime{std::chrono::hours(25)};    // longer than an execution may take
    std::size_t max_streams_per_key = 1'000;
    std::size_t max_streams = 10'000;    // of all keys; they do not count toward max_tickets
};

/// Single-use tickets for clients that cannot set headers, such as a browser's WebSocket. A ticket stands for the key that asked for it. A
/// ticket that opens a stream stays valid for that stream, because a browser's EventSource reconnects to the same address. Tickets are
/// kept only in memory, as hashes: they end with the server. I/O thread only.
class ticket_office {
public:
    /// `time` must outlive the office.
    ticket_office(const clock& time, digest_function digest, ticket_options options = {});

    /// A new ticket: "tkt_" and 43 letters and digits. Errors: errc::rate_limited while the key or the server has too many open tickets.
    result<std::string> issue(principal who);

    struct redeemed {
        principal who;
        bool is_again = false;    // the ticket opened this stream before
    };
    /// The principal that asked for `ticket`. Without a `stream` the ticket is used up. With one it stays valid for that stream only, or is
    /// used up if its key has max_streams_per_key such tickets or the server max_streams. Errors: errc::unauthorized if the ticket is
    /// unknown, used, too old or bound to another stream.
    result<redeemed> redeem(std::string_view ticket, std::string_view stream = {});

    /// The key that asked for `ticket`; nothing if the ticket is unknown. Does not use the ticket.
    std::optional<key_id> key_of(std::string_view ticket) const;

    /// Invalidates the ticket.
    void end(std::string_view ticket);

    std::chrono::milliseconds lifetime() const { return options_.lifetime; }

private:
    struct entry {
        principal who;
        steady_time ends;
        std::string stream = {};    // the only stream that it is valid for; empty: unused
    };
    void drop_old();
    std::size_t open_tickets_of(const key_id& key, bool of_streams) const;
    std::size_t streams() const;

    const clock& time_;
    digest_function digest_;
    ticket_options options_;
    std::unordered_map<std::string, entry> by_hash_;
};

}    // namespace caisson
