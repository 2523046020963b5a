#pragma once

#include "core/images/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Images that the API allowed, in records.db, which must outlive the store.
class sqlite_allowed_image_store : public allowed_image_store {
public:
    explicit sqlite_allowed_image_store(sqlite::database& db) : db_(db) { }

    task<result<std::vector<allowed_image>>> list() override;
    task<result<bool>> add(allowed_image what, std::size_t most) override;
    task<result<void>> remove(std::string image, std::optional<tenant_id> tenant) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
