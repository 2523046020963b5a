#pragma once

#include "core/files/types.hpp"
#include "storage/content/chunk_cutter.hpp"
#include "storage/sqlite/connection.hpp"

#include <optional>
#include <vector>

namespace caisson::sqlite {

struct content_ending {
    std::string sha256;    // raw
    std::int64_t size_bytes = 0;
    std::int64_t finished_at_ms = 0;
};

/// What is next to be written of a content.
struct content_change {
    content_id id;
    bool begins = false;
    std::int64_t first_number = 0;    // of `chunks`
    std::vector<content_chunk> chunks;
    std::optional<content_ending> end;
};

/// A content that lies in a pack.
struct packed_content {
    content_id id;
    std::int64_t first_byte = 0;    // of the pack
    content_ending end;
};

/// Small contents that lie one behind the other in one chunk, which has no tag and no bytes if all of them are empty.
struct content_pack {
    content_chunk chunk;
    std::vector<packed_content> contents;
};

struct content_changes {
    std::vector<content_change> contents;
    std::vector<content_pack> packs;
};

// In a write transaction of content.db:

/// Whole chunks go into `files`, which is to be synced before the transaction is committed.
void store_changes(connection& db, chunk_file& files, const tenant_id& tenant, const content_changes& what);
/// From then on nobody finds them. Idempotent.
void mark_erased(connection& db, const tenant_id& tenant, const std::vector<content_id>& ids);
/// What a server that is gone was writing.
void mark_unfinished_erased(connection& db);

enum class removal {
    done,
    goes_on,      // there may be more
    postponed,    // another process holds the places of `files`
};
/// Removes some pieces of erased contents, in a transaction of its own. An interrupted removal goes on with the next call.
removal erase_some_contents(connection& db, chunk_file& files);
/// Gives some free places of `files` back to the file system, but not those that are kept at hand; true if there are more.
bool give_back_places(connection& db, chunk_file& files);

}    // namespace caisson::sqlite
