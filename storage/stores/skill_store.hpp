#pragma once

#include "core/skills/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Skills in records.db, which must outlive the store.
class sqlite_skill_store : public skill_store {
public:
    explicit sqlite_skill_store(sqlite::database& db) : db_(db) { }

    task<result<skill_put>> put(skill_revision row, skill_bounds bounds) override;
    task<result<skill_revision>> find(tenant_id tenant, std::string name, std::string version) override;
    task<result<skill_revision>> find_digest(tenant_id tenant, std::string digest) override;
    task<result<std::vector<std::string>>> enabled_versions(tenant_id tenant, std::string name) override;
    task<result<std::vector<skill_version_row>>> versions(tenant_id tenant, std::string name) override;
    task<result<std::vector<skill_version_row>>> list(tenant_id tenant, skill_filter filter) override;
    task<result<std::vector<skill_revision>>> revisions(
        tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit) override;
    task<result<void>> set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled) override;
    task<result<std::vector<skill_revision>>> erase(tenant_id tenant, std::string name, std::string version) override;
    task<result<skill_usage>> usage(tenant_id tenant) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
