#include "storage/sqlite/database.hpp"

#include "core/base/unique_fd.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/file_bytes.hpp"
#include "storage/sqlite/file_check.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace caisson::sqlite {

namespace {

std::string name_for_thread(const std::filesystem::path& file, const char* role) { return (file.stem().string() + role).substr(0, 15); }

/// So that the log (-wal) begins anew, with other salts: what torn transactions left behind its valid frames keeps those of this round,
/// and after several power cuts would look like damage. Nothing waits for it; the next start tries again.
void empty_log(connection& db)
{
    try {
        db.move_log();
    } catch (const storage_error& failure) {
        if (failure.fault() == storage_fault::corrupt)
            throw;
    }
}

/// A connection to the file in its newest schema. What SQLite finds damaged is left as it is.
std::unique_ptr<connection> open_newest(const std::filesystem::path& file, const schema& wanted, const database_options& options)
{
    try {
        auto db = std::make_unique<connection>(file, open_mode::read_write, wanted.page_bytes, options.patience);
        migrate(*db, wanted, options.migrations);
        empty_log(*db);
        db->tidy_up_on_close();
        db->keep_log();
        db->execute("PRAGMA cache_size = -" + std::to_string(wanted.cache_bytes / 1024));    // KiB
        return db;
    } catch (const storage_error& failure) {
        if (failure.fault() == storage_fault::corrupt)
            throw_damaged(file, failure.what());
        throw;
    }
}

}    // namespace

void make_file(const std::filesystem::path& file)
{
    const unique_fd made(::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (made)
        return sync_directory(file.parent_path());
    if (errno != EEXIST)
        throw storage_error(storage_fault::broken, "cannot make " + file.string() + ": " + std::strerror(errno));
}

database::database(const std::filesystem::path& file, const schema& wanted, database_options options)
    : make_room_(std::move(options.make_room))
{
    make_file(file);
    auto first = open_newest(file, wanted, options);
    writer_ = std::make_unique<writer>(name_for_thread(file, "-write"), std::move(first), options.writing, std::move(options.idle));
    readers_ = std::make_unique<reader_pool>(name_for_thread(file, "-read"), file, options.readers);
}

fault_watch::state database::faults() const
{
    auto found = writer_->faults();
    if (found.damage.empty())
        found.damage = readers_->faults().damage;
    return found;
}

}    // namespace caisson::sqlite
