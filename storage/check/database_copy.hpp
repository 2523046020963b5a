#pragma once

#include "storage/check/snapshot.hpp"
#include "storage/sqlite/connection.hpp"

struct sqlite3;

namespace caisson::sqlite {

/// A copy of one state of a database, page by page.
class database_copy {
public:
    /// Makes `to`, which must not exist (0600). Throws storage_error.
    static void make(connection& from, const std::filesystem::path& to, const copy_progress& progress);
    /// Makes a copy that make() made a file that needs no other one, and durable.
    static void seal(const std::filesystem::path& file);

private:
    static void copy_pages(sqlite3* from, sqlite3* to, const std::string& name, std::int64_t page_bytes, const copy_progress& progress);
};

}    // namespace caisson::sqlite
