#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"
#include "core/exec/ports.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace caisson {

struct idempotency_options {
    std::int64_t lifetime_ms = 86'400'000;    // of a stored key
    std::size_t most_keys_of_tenant = 100'000;
};

/// How to treat a request with an idempotency key, given the key's stored record.
enum class key_verdict {
    fresh,        // no record, or it expired: execute
    repeat,       // same request: repeat the stored answer
    other_body    // the key was used with another request: refuse
};
key_verdict judge_key(const std::optional<idempotency_record>& stored, const idempotency_claim& claim, std::int64_t now_ms);

/// Whether `key` is 1 to 255 printable ASCII characters.
bool is_idempotency_key(std::string_view key);

/// Serializes requests with the same key: the first does the work, the others then find its record. I/O thread only.
class idempotency_gate {
public:
    /// `time` must outlive the gate.
    idempotency_gate(io_executor executor, timers& time) : time_(time), state_(std::make_shared<state>(executor)) { }

    /// Holds the key until destroyed; may outlive the gate.
    class hold;
    /// Waits for the key. Errors: errc::runtime_unavailable if other requests hold it until `until`.
    task<result<hold>> enter(tenant_id tenant, idempotency_claim claim, steady_time until);

private:
    using name = std::tuple<tenant_id, std::string, std::string>;
    struct state {
        explicit state(io_executor executor) : changed(executor) { }
        std::set<name> held;
        notifier changed;
    };
    static task<> wait_free(std::shared_ptr<state> shared, name which);

    timers& time_;
    std::shared_ptr<state> state_;
};

class idempotency_gate::hold {
public:
    hold(std::shared_ptr<state> of, name which) : state_(std::move(of)), name_(std::move(which)) { }
    hold(hold&&) = default;
    hold& operator=(hold&&) = delete;
    ~hold();

private:
    std::shared_ptr<state> state_;
    name name_;
};

}    // namespace caisson
