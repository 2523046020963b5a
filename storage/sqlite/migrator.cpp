#include "storage/sqlite/migrator.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"

#include <cstdio>

namespace caisson::sqlite {

namespace {

std::string name_of(const connection& db) { return db.file().filename().string(); }

/// How many migrations the database says it has; 0 for a new file.
std::size_t version_of(connection& db, const schema& wanted)
{
    if (db.integer("SELECT count(*) FROM sqlite_schema") == 0)
        return 0;
    if (db.integer("PRAGMA application_id") != wanted.application_id)
        throw storage_error(storage_fault::foreign,
            db.file().string() + " is not a database of Caisson: give another data directory, or move the file away");
    return static_cast<std::size_t>(db.integer("PRAGMA user_version"));
}

void check_applied(connection& db, const schema& wanted)
{
    auto applied = db.prepare(sql::migration::list);
    while (applied.step()) {
        const auto index = static_cast<std::size_t>(applied.integer(0) - 1);
        if (index < wanted.migrations.size() && applied.view(2) == checksum_of(wanted.migrations[index].second))
            continue;
        throw storage_error(storage_fault::changed_migration,
            name_of(db) + ": migration " + std::string(applied.view(1)) +
                " is not the one that this database was made with: run the Caisson that made it, or restore a backup");
    }
}

void apply(connection& db, const schema& wanted, std::size_t index)
{
    const auto& [name, text] = wanted.migrations[index];
    const auto version = std::to_string(index + 1);
    transaction all(db, transaction_kind::write);
    db.execute(std::string(sql::migration::make_table));
    db.execute(std::string(text));
    db.prepare(sql::migration::insert).bind(index + 1, name, checksum_of(text)).run();
    db.execute("PRAGMA application_id = " + std::to_string(wanted.application_id) + "; PRAGMA user_version = " + version);
    all.commit();
}

}    // namespace

std::string checksum_of(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const unsigned char each : text)
        hash = (hash ^ each) * 0x100000001b3;
    char hex[17];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
    return hex;
}

void throw_newer_schema(const std::filesystem::path& file, std::size_t has, const schema& wanted)
{
    throw storage_error(storage_fault::newer_schema,
        file.filename().string() + " was made by a newer Caisson (schema " + std::to_string(has) + ", this one knows up to " +
            std::to_string(wanted.migrations.size()) + "): run that version, or restore a backup that this one made");
}

std::size_t check_schema(connection& db, const schema& wanted)
{
    const auto has = version_of(db, wanted);
    if (has > wanted.migrations.size())
        throw_newer_schema(db.file(), has, wanted);
    if (has > 0)
        check_applied(db, wanted);
    return has;
}

void migrate(connection& db, const schema& wanted, migrate_policy policy)
{
    const auto has = check_schema(db, wanted);
    const auto known = wanted.migrations.size();
    if (has < known && policy == migrate_policy::require_current)
        throw storage_error(storage_fault::newer_schema, name_of(db) + " is used by a server of an older Caisson (schema " +
                                                             std::to_string(has) + ", this one needs " + std::to_string(known) +
                                                             "): use the server's own version of this command, or stop the server first");
    for (auto next = has; next < known; ++next)
        apply(db, wanted, next);
}

}    // namespace caisson::sqlite
