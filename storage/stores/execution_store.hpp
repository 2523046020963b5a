#pragma once

#include "core/exec/ports.hpp"
#include "storage/stores/spec_bodies.hpp"

#include <memory>
#include <optional>
#include <set>

namespace caisson {

/// Records of executions in records.db, which must outlive the store.
class sqlite_execution_store : public execution_store {
public:
    explicit sqlite_execution_store(sqlite::database& db) : db_(db), bodies_(db) { }

    task<result<void>> insert(execution_row row, execution_spec spec) override;
    task<result<void>> insert_begun(execution_row row, execution_spec spec, sandbox_row where) override;
    task<result<void>> insert_ended(execution_end end, execution_spec spec) override;
    task<result<void>> insert_with_key(execution_row row, execution_spec spec, idempotency_record key, std::size_t most_keys) override;
    task<result<idempotency_record>> find_key(tenant_id tenant, std::string route, std::string key) override;
    task<result<std::size_t>> erase_expired_keys(std::int64_t now_ms, std::size_t limit) override;
    task<result<void>> update(execution_row row) override;
    task<result<void>> finish(execution_end end) override;
    task<result<void>> request_cancel(tenant_id tenant, execution_id id) override;
    task<result<execution_row>> find(tenant_id tenant, execution_id id) override;
    task<result<execution_payload>> find_payload(tenant_id tenant, execution_id id, std::size_t most_bytes) override;
    task<result<payload_piece>> read_payload(
        tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes) override;
    task<result<execution_spec>> find_spec(tenant_id tenant, execution_id id) override;
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter) override;
    task<result<removed_execution>> erase(tenant_id tenant, execution_id id) override;
    task<result<std::vector<unfinished_execution>>> unfinished(execution_id after, std::size_t limit) override;
    task<result<std::vector<sandbox_id>>> sandboxes_in_use() override;
    task<result<execution_totals>> totals(tenant_id tenant) override;
    task<result<std::vector<kept_execution>>> oldest(std::optional<tenant_id> tenant, execution_id after, std::size_t limit) override;
    task<result<std::vector<std::pair<tenant_id, std::int64_t>>>> kept_bytes() override;

private:
    /// Of a tenant who has as many Idempotency-Keys a new one is refused.
    struct key_bound {
        tenant_id tenant;
        std::size_t most = 0;
    };
    /// Inserts by `insert(connection&, has_body)`, after the body of a large spec. `key_of`: where it may be refused for a key.
    template <class F>
    task<result<void>> insert_with_body(
        execution_id id, std::shared_ptr<const execution_spec> spec, F insert, std::optional<key_bound> key_of = std::nullopt);

    template <class F>
    task<result<void>> end_with_body(execution_id id, F end);

    sqlite::database& db_;
    spec_body_writer bodies_;
    std::set<execution_id> with_bodies_;    // of those that have not ended: recorded or read since the start
};

}    // namespace caisson
