#pragma once

#include "storage/sqlite/migrator.hpp"

#include <filesystem>

namespace caisson::sqlite {

/// Whether a file holds anything.
enum class file_content { nothing, data };

/// Looks at a database file and at its log (-wal) byte by byte before SQLite, which repairs without asking, opens them.
/// Throws storage_error and changes nothing: corrupt if the file is no database, shorter than it says, or empty beside a
/// log that is not, or if the log is damaged before its last transaction (the last one may have been torn by a power cut);
/// foreign for another program's database; newer_schema. Damage within the file's pages is not looked for.
/// No connection of this process may be open on the file: closing it here would drop that one's locks (fcntl(2)).
file_content check_unopened(const std::filesystem::path& file, const schema& wanted);

/// The schema that a database file was made for; 0 if none can be told. What its log (-wal) holds is not looked at.
std::uint32_t stored_version(const std::filesystem::path& file);

/// The same file after a failure: what is wrong, that nothing was changed, and what to do.
[[noreturn]] void throw_damaged(const std::filesystem::path& file, const std::string& what);

}    // namespace caisson::sqlite
