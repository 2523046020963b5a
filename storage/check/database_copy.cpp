#include "storage/check/database_copy.hpp"

#include "core/base/unique_fd.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace caisson::sqlite {

namespace {

constexpr int pages_per_step = 256;

struct closer {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
    void operator()(sqlite3_backup* copying) const { sqlite3_backup_finish(copying); }
};
using plain_connection = std::unique_ptr<sqlite3, closer>;

plain_connection open_plain(const std::filesystem::path& file)
{
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    plain_connection opened(handle);
    if (code != SQLITE_OK)
        throw_error(handle, code, "open " + file.string());
    return opened;
}

void run(sqlite3* handle, const char* sql)
{
    const int code = sqlite3_exec(handle, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        throw_error(handle, code, sql);
}

}    // namespace

void database_copy::make(connection& from, const std::filesystem::path& to, const copy_progress& progress)
{
    if (std::filesystem::exists(to))
        throw storage_error(storage_fault::broken, to.string() + " exists");
    make_file(to);
    const auto page_bytes = from.integer("PRAGMA page_size");
    const transaction one_state(from, transaction_kind::read);
    from.integer("SELECT count(*) FROM sqlite_schema");    // begins it
    const auto copy = open_plain(to);
    run(copy.get(), "PRAGMA synchronous = OFF");    // seal() sees to it
    copy_pages(from.handle_, copy.get(), to.filename().string(), page_bytes, progress);
}

void database_copy::copy_pages(sqlite3* from, sqlite3* to, const std::string& name, std::int64_t page_bytes, const copy_progress& progress)
{
    std::unique_ptr<sqlite3_backup, closer> copying(sqlite3_backup_init(to, "main", from, "main"));
    if (!copying)
        throw_error(to, sqlite3_errcode(to), "copy " + name);
    for (;;) {
        const int code = sqlite3_backup_step(copying.get(), pages_per_step);
        if (code != SQLITE_OK && code != SQLITE_DONE) {
            copying.reset();    // the reason goes over to the connection
            throw_error(to, code, "copy " + name);
        }
        const auto total = static_cast<std::uint64_t>(sqlite3_backup_pagecount(copying.get()) * page_bytes);
        const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(copying.get()) * page_bytes);
        progress(name, total - left, total);
        if (code == SQLITE_DONE)
            return;
    }
}

void database_copy::seal(const std::filesystem::path& file)
{
    {
        const auto copy = open_plain(file);
        run(copy.get(), "PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE");
    }
    const unique_fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0)
        throw storage_error(errno == ENOSPC ? storage_fault::disk_full : storage_fault::broken,
            "cannot sync " + file.string() + ": " + std::strerror(errno));
}

}    // namespace caisson::sqlite
