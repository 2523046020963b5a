#pragma once

#include "core/auth/ports.hpp"
#include "core/base/clock.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson {

/// Bounds of a ticket_office.
struct ticket_options {
    std::chrono::milliseconds lifetime{60'000};
    std::size_t max_per_key = 100;
    std::size_t max_tickets = 10'000;
};

/// One-use tickets for clients that cannot set headers, such as a browser's WebSocket: they stand for the key that asked
/// for them. Kept in memory only, as hashes. A key that is revoked leaves its tickets valid for the rest of their lifetime.
/// I/O thread only.
class ticket_office {
public:
    /// `time` must outlive the office.
    ticket_office(const clock& time, digest_function digest, ticket_options options = {});

    /// A new ticket: "tkt_" and 43 letters and digits. Errors: errc::rate_limited while `who` or all have too many open.
    result<std::string> issue(principal who);

    /// Who asked for `ticket`, which is used up. Errors: errc::unauthorized if it is unknown, used or too old.
    result<principal> redeem(std::string_view ticket);

    std::chrono::milliseconds lifetime() const { return options_.lifetime; }

private:
    struct entry {
        principal who;
        steady_time ends;
    };
    void drop_old();
    std::size_t open_tickets_of(const key_id& key) const;

    const clock& time_;
    digest_function digest_;
    ticket_options options_;
    std::unordered_map<std::string, entry> by_hash_;
};

}    // namespace caisson
