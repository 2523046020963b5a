#pragma once

#include "storage/sqlite/connection.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace caisson::sqlite {

/// The schema of one database file: what it is marked with, its migrations (name and text) in order, and the page size of a
/// new file.
struct schema {
    std::int32_t application_id;
    std::span<const std::pair<std::string_view, std::string_view>> migrations;
    int page_bytes = 4096;
    int cache_bytes = 32 << 20;    // of pages that the writer keeps in memory
};

enum class migrate_policy {
    apply,
    require_current,    // for a tool beside a running server, whose schema it must not change
};

/// Brings `db` to the newest schema, one transaction a migration; user_version is the number of those applied.
/// Throws storage_error and changes nothing: foreign for another program's database, newer_schema if it has migrations
/// that are not in `wanted`, or has not all of them under require_current, changed_migration if the text of an applied one is
/// not the one in `wanted`.
void migrate(connection& db, const schema& wanted, migrate_policy policy);

/// How many of the schema's migrations `db` has. Throws what migrate() throws.
std::size_t check_schema(connection& db, const schema& wanted);

/// storage_fault::newer_schema for `file`, which has the schema `has`.
[[noreturn]] void throw_newer_schema(const std::filesystem::path& file, std::size_t has, const schema& wanted);

/// What a migration's text is recognised by: 64-bit FNV-1a as 16 hex digits.
std::string checksum_of(std::string_view text);

}    // namespace caisson::sqlite
