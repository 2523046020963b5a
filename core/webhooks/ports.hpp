#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/webhooks/types.hpp"

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caisson {

/// Which deliveries are looked for.
struct webhook_query {
    std::int64_t now_ms = 0;
    tenant_id after;    // tenants behind this one first, then the others
    std::size_t per_receiver = 1;
    std::size_t per_tenant = 1;
    std::size_t limit = 1;    // tenants are left out beyond it
};

/// Deliveries of executions' ends. A row comes with its execution's record, is due from the record's end on (execution_store::insert,
/// update and finish see to both) and goes with it. Call from the I/O thread.
class webhook_store {
public:
    virtual ~webhook_store() = default;
    /// Errors: errc::not_found if the execution has no webhook, too.
    virtual task<result<webhook_status>> find(tenant_id tenant, execution_id execution) = 0;
    /// Those whose time has come; of each receiver and tenant the oldest, so that the backlog of one hides nobody else's.
    virtual task<result<std::vector<webhook_job>>> due(webhook_query wanted) = 0;
    /// The earliest time after `now_ms` at which one will be due.
    virtual task<result<std::optional<std::int64_t>>> next_due(std::int64_t now_ms) = 0;
    /// What an attempt came to: all but the address. Durable on return. Errors: errc::not_found if the execution is gone.
    virtual task<result<void>> note(execution_id execution, webhook_status status) = 0;
    /// Removes those whose execution ended before `before_ms`, at most `limit`; says how many.
    virtual task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) = 0;
};

struct webhook_message {
    std::string url;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;    // JSON
};

/// What a receiver said.
struct webhook_answer {
    std::optional<int> status;    // nothing: it did not answer, and `failure` says why
    std::string failure;          // a sentence for its sender, without addresses of this network
    bool refused = false;         // it may not be sent there: no later attempt will do better
    bool late = false;            // it did not answer in time: `failure` is left to who gave the time
};

/// What the host of a URL stands for.
using webhook_route = std::vector<asio::ip::address>;

class webhook_sender {
public:
    virtual ~webhook_sender() = default;
    /// Where a message to `url` may go. Takes as long as name servers let one wait; cancelling it returns at once. Errors, with what
    /// webhook_answer::failure says: errc::bad_request and errc::forbidden if it may not be sent there; others may be over the next time.
    virtual task<result<webhook_route>> look_up(std::string url) = 0;
    /// POSTs it once, to an address that look_up() gave for its URL. Redirects are answers like others.
    virtual task<webhook_answer> post(webhook_message message, webhook_route to, std::chrono::milliseconds timeout) = 0;
};

}    // namespace caisson
