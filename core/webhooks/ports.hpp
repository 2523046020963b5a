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

/// Selects due deliveries.
struct webhook_query {
    std::int64_t now_ms = 0;
    tenant_id after;    // round robin: tenants after this one first
    std::size_t per_receiver = 1;
    std::size_t per_tenant = 1;
    std::size_t limit = 1;    // in total; later tenants are left out
};

/// Deliveries of the ends of executions. execution_store creates a row with the execution's record and makes it due when the execution
/// ends (insert, update and finish). The row is removed with the record. Call from the I/O thread.
class webhook_store {
public:
    virtual ~webhook_store() = default;
    /// Errors: errc::not_found, also if the execution has no webhook.
    virtual task<result<webhook_status>> find(tenant_id tenant, execution_id execution) = 0;
    /// Due deliveries, the oldest of each receiver and tenant, so that one backlog does not hide others.
    virtual task<result<std::vector<webhook_job>>> due(webhook_query wanted) = 0;
    /// The earliest time after `now_ms` at which a delivery becomes due.
    virtual task<result<std::optional<std::int64_t>>> next_due(std::int64_t now_ms) = 0;
    /// Stores the outcome of an attempt: all of `status` but the URL. Durable on return. Errors: errc::not_found if the execution was
    /// removed.
    virtual task<result<void>> note(execution_id execution, webhook_status status) = 0;
    /// Removes deliveries whose execution ended before `before_ms`, at most `limit`. Returns how many.
    virtual task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) = 0;
};

struct webhook_message {
    std::string url;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;    // JSON
};

/// The response of a receiver.
struct webhook_answer {
    std::optional<int> status;    // nullopt: no response; `failure` says why
    std::string failure;          // a sentence for the tenant, without addresses of this network
    bool refused = false;         // delivery there is forbidden: a retry would fail too
    bool late = false;            // timeout; the caller fills in `failure`
};

/// The addresses of a URL's host.
using webhook_route = std::vector<asio::ip::address>;

class webhook_sender {
public:
    virtual ~webhook_sender() = default;
    /// Resolves the addresses that a message to `url` may go to. Takes as long as the resolver; cancellation returns at once. Errors, with
    /// a detail for webhook_answer::failure: errc::bad_request and errc::forbidden if delivery there is not allowed; others are temporary.
    virtual task<result<webhook_route>> look_up(std::string url) = 0;
    /// POSTs the message once, to an address from look_up(). Does not follow redirects.
    virtual task<webhook_answer> post(webhook_message message, webhook_route to, std::chrono::milliseconds timeout) = 0;
};

}    // namespace caisson
