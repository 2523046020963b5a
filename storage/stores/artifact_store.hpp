#pragma once

#include "core/files/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Records of artifacts in records.db, which must outlive the store.
class sqlite_artifact_store : public artifact_store {
public:
    explicit sqlite_artifact_store(sqlite::database& db) : db_(db) { }

    task<result<std::vector<artifact_row>>> list(tenant_id tenant, execution_id execution, std::string after, std::size_t limit) override;
    task<result<std::vector<std::string>>> paths(tenant_id tenant, execution_id execution, std::size_t limit) override;
    task<result<artifact_row>> find(tenant_id tenant, execution_id execution, std::string path) override;
    task<result<content_id>> erase(tenant_id tenant, execution_id execution, std::string path) override;
    task<result<std::vector<content_id>>> erase_all(tenant_id tenant, execution_id execution, std::size_t limit) override;
    task<result<std::vector<owned_content>>> erase_expired(std::int64_t now_ms, std::size_t limit) override;
    task<result<std::vector<content_id>>> erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit) override;
    task<result<erased_artifacts>> erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit) override;
    task<result<std::vector<tenant_id>>> tenants() override;
    task<result<content_usage>> usage(tenant_id tenant) override;
    task<result<std::vector<content_id>>> named(std::vector<content_id> ids) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
