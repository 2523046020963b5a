#pragma once

#include "core/base/error.hpp"
#include "storage/content/content_rows.hpp"
#include "storage/sqlite/database.hpp"

#include <memory>

namespace caisson::sqlite {

/// Changes of one tenant's contents on their way into content.db, in order: some megabytes are gathered for a transaction, two such
/// are in the writer's queue at most. After a failure nothing more is written. I/O thread.
class content_queue {
public:
    /// `db` and `files` outlive the calls.
    content_queue(database& db, chunk_file& files, tenant_id tenant);

    const tenant_id& tenant() const { return tenant_; }
    void add(content_change next);
    void add(content_pack next);
    /// Returns when there is room for more. Errors: errc::runtime_unavailable if the disk is full or busy; other failures are thrown.
    task<result<void>> make_room();
    /// All that was added is durable on return. Errors as make_room().
    task<result<void>> flush();

private:
    struct transit;
    void note(std::size_t contents, std::size_t bytes);
    void send();

    database& db_;
    chunk_file& files_;
    tenant_id tenant_;
    content_changes gathered_;
    std::size_t gathered_contents_ = 0;
    std::size_t gathered_bytes_ = 0;
    std::shared_ptr<transit> transit_;
};

}    // namespace caisson::sqlite
