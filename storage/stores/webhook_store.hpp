#pragma once

#include "core/webhooks/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Webhooks in records.db, which must outlive the store.
class sqlite_webhook_store : public webhook_store {
public:
    explicit sqlite_webhook_store(sqlite::database& db) : db_(db) { }

    task<result<webhook_status>> find(tenant_id tenant, execution_id execution) override;
    task<result<std::vector<webhook_job>>> due(webhook_query wanted) override;
    task<result<std::optional<std::int64_t>>> next_due(std::int64_t now_ms) override;
    task<result<void>> note(execution_id execution, webhook_status status) override;
    task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
