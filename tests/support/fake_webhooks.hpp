#pragma once

#include "core/webhooks/ports.hpp"
#include "tests/support/faults.hpp"

#include <functional>
#include <map>

namespace caisson::testing {

/// Deliveries in memory. Everything completes without suspending. One thread.
class fake_webhook_store : public webhook_store, public faults {
public:
    task<result<webhook_status>> find(tenant_id tenant, execution_id execution) override;
    task<result<std::vector<webhook_job>>> due(webhook_query wanted) override;
    task<result<std::optional<std::int64_t>>> next_due(std::int64_t now_ms) override;
    task<result<void>> note(execution_id execution, webhook_status status) override;
    task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) override;

    /// What a new execution does.
    void insert(execution_id execution, tenant_id tenant, std::string url, std::string secret);
    /// What its end does.
    void make_due(const execution_id& execution, std::int64_t ended_at_ms);
    /// What the removal of its record does.
    void erase(const execution_id& execution) { rows_.erase(execution); }
    std::size_t size() const { return rows_.size(); }

    std::function<void()> between_due_and_next_due;    // called once, if there is one

private:
    struct row {
        webhook_job job;
        std::optional<std::int64_t> ended_at_ms;
    };
    std::vector<webhook_job> due_of(const tenant_id& tenant, const webhook_query& wanted) const;

    std::map<execution_id, row> rows_;
};

}    // namespace caisson::testing
