#pragma once

#include "core/auth/ports.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/stores/key_uses.hpp"

#include <memory>

namespace caisson {

/// Tenants and keys in records.db, which must outlive the store. A key's last use is written some seconds later.
class sqlite_key_store : public key_store {
public:
    explicit sqlite_key_store(sqlite::database& db) : db_(db) { }

    task<result<tenant_id>> ensure_tenant(std::string name, tenant_id fresh, std::int64_t now_ms) override;
    task<result<void>> insert_key(api_key_row row) override;
    task<result<api_key_row>> find_key(std::string hash) override;
    task<result<std::vector<api_key_row>>> list_keys(std::optional<std::string> tenant_name) override;
    task<result<api_key_row>> find_key_by_id(key_id id) override;
    task<result<std::size_t>> count_tenants(std::int64_t now_ms, std::size_t most) override;
    task<result<void>> revoke_key(key_id id, std::int64_t now_ms) override;
    task<result<void>> touch_key(key_id id, std::int64_t now_ms) override;

private:
    task<result<api_key_row>> find_one(std::string_view sql, std::string value);

    sqlite::database& db_;
    std::shared_ptr<key_uses> uses_ = std::make_shared<key_uses>();    // shared with work on the database's threads
};

}    // namespace caisson
