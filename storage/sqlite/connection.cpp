#include "storage/sqlite/connection.hpp"

#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/log_vfs.hpp"
#include "storage/sqlite/transaction.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace caisson::sqlite {

namespace {

constexpr std::int64_t log_bytes_at_most = 16 << 20;
constexpr int zeros_at_a_time = 64 << 10;

/// Counting memory takes a lock that all connections share; nobody reads the count.
void stop_counting_memory() { [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// As a URI, whose special characters a path may hold.
std::string uri_of(const std::filesystem::path& file, const char* how)
{
    std::string uri = "file:";
    for (const char each : std::filesystem::absolute(file).string())
        uri += each == '%' ? "%25" : each == '?' ? "%3f" : each == '#' ? "%23" : std::string(1, each);
    return uri + how;
}

constexpr const char* frozen_file = "?immutable=1";
constexpr const char* read_only_file = "?mode=ro";

}    // namespace

connection::connection(std::filesystem::path file, open_mode mode, int page_bytes, std::chrono::milliseconds patience)
    : file_(std::move(file))
{
    stop_counting_memory();
    const bool frozen = mode == open_mode::frozen;
    const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                      (mode == open_mode::read_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    const char* const layer = mode == open_mode::read_write ? log_vfs() : nullptr;
    const int code = sqlite3_open_v2(frozen ? uri_of(file_, frozen_file).c_str() : file_.c_str(), &handle_, flags, layer);
    try {
        if (code != SQLITE_OK)
            throw_error(handle_, code, "open " + file_.string());
        set_up(mode, page_bytes, patience);
    } catch (...) {
        close();
        throw;
    }
}

connection::~connection() { close(); }

void connection::close() noexcept
{
    for (const auto& [text, handle] : idle_)
        sqlite3_finalize(handle);
    sqlite3_close(handle_);
}

void connection::tidy_up_on_close() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr); }

/// There is one such hook: this one takes the place of the one that moves the log.
void connection::keep_log()
{
    page_bytes_ = integer("PRAGMA page_size");
    execute("PRAGMA cache_spill = OFF");
    hold_frames(log_file());
    sqlite3_wal_hook(handle_, &connection::note_log, this);
}

int connection::note_log(void* self, sqlite3*, const char*, int pages) noexcept
{
    static_cast<connection*>(self)->log_pages_ = pages;
    return SQLITE_OK;
}

void connection::move_log() { execute("PRAGMA wal_checkpoint(PASSIVE)"); }

/// As the one who may write, so that no other process appends to the log meanwhile. Zeros end it like any frame of an earlier round.
bool connection::extend_log(std::int64_t wanted, std::int64_t step)
{
    const transaction alone(*this, transaction_kind::write);
    auto* const log = log_file();
    sqlite3_int64 size = 0;
    check_log(log->pMethods->xFileSize(log, &size));
    const auto until = std::min<sqlite3_int64>(wanted, size + step);
    if (size >= until)
        return true;
    const std::string zeros(zeros_at_a_time, '\0');
    while (size < until) {
        const auto part = std::min<sqlite3_int64>(until - size, zeros_at_a_time);
        check_log(log->pMethods->xWrite(log, zeros.data(), static_cast<int>(part), size));
        size += part;
    }
    check_log(log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY));
    return until == wanted;
}

sqlite3_file* connection::log_file() const
{
    sqlite3_file* log = nullptr;
    check_log(sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log)));
    return log;
}

void connection::check_log(int code) const
{
    if (code != SQLITE_OK)
        throw_error(nullptr, code, "use the log of " + file_.string());
}

void connection::set_up(open_mode mode, int page_bytes, std::chrono::milliseconds patience)
{
    sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
    // Before anything that writes: this is where a file that is no database is found out.
    execute("SELECT count(*) FROM sqlite_schema");
    if (mode != open_mode::read_write) {
        execute("PRAGMA query_only = ON; PRAGMA cache_size = -8192");
        return;
    }
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    execute("PRAGMA page_size = " + std::to_string(page_bytes) + "; PRAGMA auto_vacuum = INCREMENTAL");    // on a new file only
    // EXTRA for the first step: a journal whose removal a power cut undid would take back all that came after it.
    execute("PRAGMA synchronous = EXTRA; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    execute("PRAGMA temp_store = MEMORY");    // where savepoints keep what they may have to put back
    execute("PRAGMA wal_autocheckpoint = " + std::to_string(log_bytes_at_most / integer("PRAGMA page_size")));
    execute("PRAGMA journal_size_limit = " + std::to_string(4 * log_bytes_at_most));
}

void connection::attach(const std::filesystem::path& file, const std::string& as, open_mode mode)
{
    prepare("ATTACH ? AS " + as).bind(uri_of(file, mode == open_mode::frozen ? frozen_file : read_only_file)).run();
}

statement connection::prepare(std::string_view sql)
{
    const auto found = idle_.find(sql);
    if (found == idle_.end())
        return statement(*this, make(sql));
    auto* const handle = found->second;
    idle_.erase(found);
    return statement(*this, handle);
}

sqlite3_stmt* connection::make(std::string_view sql)
{
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code != SQLITE_OK)
        throw_error(handle_, code, std::string(sql));
    return handle;
}

void connection::give_back(sqlite3_stmt* used) noexcept
{
    sqlite3_reset(used);
    sqlite3_clear_bindings(used);
    try {
        if (idle_.emplace(sqlite3_sql(used), used).second)
            return;
    } catch (const std::bad_alloc&) {
    }
    sqlite3_finalize(used);
}

void connection::execute(const std::string& script)
{
    const int code = sqlite3_exec(handle_, script.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        throw_error(handle_, code, script);
}

std::int64_t connection::integer(std::string_view sql)
{
    auto query = prepare(sql);
    if (!query.step())
        throw storage_error(storage_fault::broken, "no row from: " + std::string(sql));
    return query.integer(0);
}

std::int64_t connection::changes() const { return sqlite3_changes64(handle_); }

std::int64_t connection::total_changes() const { return sqlite3_total_changes64(handle_); }

std::int64_t connection::last_key() const { return sqlite3_last_insert_rowid(handle_); }

bool connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

}    // namespace caisson::sqlite
