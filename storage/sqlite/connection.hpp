#pragma once

#include "storage/sqlite/statement.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_file;

namespace caisson::sqlite {

enum class open_mode {
    read_write,
    read_only,
    frozen,    // read_only, for a file that nobody writes to meanwhile: no other file is made beside it
};

/// How long a connection waits for another process, such as `caisson key`, which holds a file for milliseconds.
inline constexpr std::chrono::milliseconds default_busy_timeout{5'000};

/// One SQLite connection and its prepared statements. One thread at a time. Failures throw storage_error.
class connection {
public:
    /// Opens `file`, which must exist; a read_write connection to an empty file begins a new database. Nothing is
    /// written, and storage_fault::corrupt thrown, if the file is damaged at its beginning or is no database.
    /// `page_bytes` is for a new database. Another process that keeps the file longer than `patience` is storage_fault::busy.
    connection(
        std::filesystem::path file, open_mode mode, int page_bytes = 4096, std::chrono::milliseconds patience = default_busy_timeout);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Until this is called, closing a read_write connection leaves the file and its log (-wal) as they are.
    void tidy_up_on_close();

    /// From now on a commit does not move the log (-wal) into the file, whatever it has grown to: move_log() is the caller's to call. Each
    /// is one write then; all that a transaction changes is in memory until it commits.
    void keep_log();
    /// Of all commits since the log began anew, as of this connection's last one. Only after keep_log().
    std::int64_t log_bytes() const { return log_pages_ * page_bytes_; }
    /// Moves what nobody reads from the log into the file, durably; when it got to the end the next commit begins the log anew.
    void move_log();
    /// Writes zeros behind the end of the log's file until it has `wanted` bytes, at most `step` of them, durably: where the file need not
    /// grow, neither the file system's records of it nor its journal are written with a commit. Only after a commit of this connection, and
    /// outside of transactions. Returns whether the file has that size.
    bool extend_log(std::int64_t wanted, std::int64_t step);

    /// Makes another database readable by this one's statements, under the name `as`. Not for a read_write connection.
    void attach(const std::filesystem::path& file, const std::string& as, open_mode mode);

    /// A statement of the cache, made at the first call with this text.
    statement prepare(std::string_view sql);
    /// Runs a script of any number of statements that return nothing of interest.
    void execute(const std::string& script);
    /// The one integer that `sql` returns.
    std::int64_t integer(std::string_view sql);

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    std::int64_t changes() const;
    /// Rows that statements changed since it was opened, triggers included.
    std::int64_t total_changes() const;
    /// The integer key of the last inserted row.
    std::int64_t last_key() const;
    /// False when SQLite rolled back on its own, too.
    bool in_transaction() const;
    const std::filesystem::path& file() const { return file_; }

private:
    friend class statement;
    friend class database_copy;    // the page by page interface
    void give_back(sqlite3_stmt* used) noexcept;
    void close() noexcept;
    void set_up(open_mode mode, int page_bytes, std::chrono::milliseconds patience);
    sqlite3_stmt* make(std::string_view sql);
    sqlite3_file* log_file() const;
    void check_log(int code) const;
    static int note_log(void* self, sqlite3* handle, const char* name, int pages) noexcept;

    std::filesystem::path file_;
    sqlite3* handle_ = nullptr;
    std::int64_t page_bytes_ = 0;
    std::int64_t log_pages_ = 0;
    std::unordered_map<std::string_view, sqlite3_stmt*> idle_;    // the keys are the statements' own texts
};

}    // namespace caisson::sqlite
