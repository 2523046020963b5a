#pragma once

#include "core/exec/ports.hpp"
#include "storage/database.hpp"

namespace caisson {

/// Records of executions in records.db, which must outlive the store.
class sqlite_execution_store : public execution_store {
public:
    explicit sqlite_execution_store(sqlite::database& db) : db_(db) { }

    task<result<void>> insert(execution_row row, execution_spec spec) override;
    task<result<void>> update(execution_row row) override;
    task<result<void>> request_cancel(tenant_id tenant, execution_id id) override;
    task<result<execution_row>> find(tenant_id tenant, execution_id id) override;
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter) override;
    task<result<void>> erase(tenant_id tenant, execution_id id) override;
    task<result<std::vector<unfinished_execution>>> unfinished() override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
