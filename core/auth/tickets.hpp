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
    std::size_t max_streams = 10'000;    // of all keys, besides max_tickets: streams keep nobody from a ticket
};

/// Tickets for clients that cannot set headers, such as a browser's WebSocket: they stand for the key that asked for them, and are used
/// once. A ticket that opens a stream stays good for that stream, since a browser's EventSource comes back to the same address. Kept in
/// memory only, as hashes: they end with the server.
/// I/O thread only.
class ticket_office {
public:
    /// `time` must outlive the office.
    ticket_office(const clock& time, digest_function digest, ticket_options options = {});

    /// A new ticket: "tkt_" and 43 letters and digits. Errors: errc::rate_limited while `who` or all have too many open.
    result<std::string> issue(principal who);

    struct redeemed {
        principal who;
        bool is_again = false;    // it has opened this stream before
    };
    /// Who asked for `ticket`. It is used up, or if it opens `stream`, a name that is not empty, good for that alone from now on; a key
    /// that has max_streams_per_key such tickets, or where all have max_streams, gets no more of them, and the ticket is used up. Errors:
    /// errc::unauthorized if it is unknown, used, too old or good for another stream.
    result<redeemed> redeem(std::string_view ticket, std::string_view stream = {});

    /// Which key asked for `ticket`; nothing if it is unknown. It stays as it is.
    std::optional<key_id> key_of(std::string_view ticket) const;

    /// A ticket is good no more.
    void end(std::string_view ticket);

    std::chrono::milliseconds lifetime() const { return options_.lifetime; }

private:
    struct entry {
        principal who;
        steady_time ends;
        std::string stream = {};    // that it is good for; empty: it was not used
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
