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
    std::int64_t lifetime_ms = 86'400'000;    // how long a key is remembered
    std::size_t most_keys_of_tenant = 100'000;
};

/// What a request with a key is, given what is stored of the key.
enum class key_verdict {
    fresh,        // never used, or long ago: do it
    repeat,       // answer as the first time
    other_body    // used for something else: refuse
};
key_verdict judge_key(const std::optional<idempotency_record>& stored, const idempotency_claim& claim, std::int64_t now_ms);

/// The value of a key: 1 to 255 printable ASCII characters.
bool is_idempotency_key(std::string_view key);

/// Lets one request at a time use a key, so that of many that come at once one does the work and the others find it done. I/O
/// thread only.
class idempotency_gate {
public:
    /// `time` outlives it.
    idempotency_gate(io_executor executor, timers& time) : time_(time), state_(std::make_shared<state>(executor)) { }

    /// The key is held as long as this lives; it may outlive the gate.
    class hold;
    /// Errors: errc::runtime_unavailable if others hold it until `until`.
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
