#pragma once

#include "core/files/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Signing keys in records.db, which must outlive the store.
class sqlite_signing_key_store : public signing_key_store {
public:
    explicit sqlite_signing_key_store(sqlite::database& db) : db_(db) { }

    task<result<signing_key>> current(std::string fresh_secret, std::int64_t now_ms) override;
    task<result<signing_key>> rotate(std::string fresh_secret, std::int64_t now_ms) override;
    task<result<std::vector<signing_key>>> list() override;
    task<result<std::size_t>> erase_retired(std::int64_t before_ms) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
