#pragma once

#include "storage/sqlite/migrator.hpp"
#include "storage/sqlite/reader_pool.hpp"
#include "storage/sqlite/writer.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace caisson::sqlite {

struct database_options {
    std::size_t readers = 2;
    migrate_policy migrations = migrate_policy::apply;
    writer_limits writing;
    std::chrono::milliseconds patience = default_busy_timeout;    // with another process that writes
    idle_step idle;                                               // see writer
    std::function<void()> make_room;                              // frees space on a full disk; from the I/O thread
};

/// Makes an empty file (0600) unless it exists, durably. SQLite gives its other files the mode of the first. An existing one is
/// not opened: closing it would drop the locks that other connections of this process have on it (fcntl(2)).
void make_file(const std::filesystem::path& file);

/// One database file: its writer's thread and its readers. Destroy it before the io_context that its callers run on; what
/// was queued is finished first.
class database {
public:
    /// Makes `file` (0600) if it does not exist and brings it to the newest schema. Throws storage_error.
    database(const std::filesystem::path& file, const schema& wanted, database_options options = {});

    /// `work(connection&)` in a transaction shared with others; returns when it is durable. It may be called more than once, unless it
    /// cannot be called as const (see called_once); what it wrote before is gone then. See writer::run.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> write(F work)
    {
        return writer_->run(std::move(work));
    }
    /// As write(), but without a coroutine; see writer::start.
    template <class F>
    void start_write(F work, completion<std::invoke_result_t<F&, connection&>> done)
    {
        writer_->start(std::move(work), std::move(done));
    }
    /// write() of something that frees space: a full disk is given some room first.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> write_freeing(F work);
    /// `work(connection&)` some seconds later, or with the next write; failures are dropped.
    template <class F>
    void write_later(F work)
    {
        writer_->run_later(std::move(work));
    }
    /// `work(connection&)` on a read-only connection; it sees all writes that returned before. See reader_pool::run.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> read(F work)
    {
        return readers_->run(std::move(work));
    }

    /// Runs database_options::idle soon.
    void tidy() { writer_->tidy(); }

    /// What went wrong of late; see fault_watch.
    fault_watch::state faults() const;

    /// Transactions committed, and closures in them, since the start.
    std::uint64_t commits() const { return writer_->commits(); }
    std::uint64_t writes() const { return writer_->closures(); }

private:
    std::function<void()> make_room_;
    std::unique_ptr<writer> writer_;    // outlives the readers: the last connection to close tidies the file up
    std::unique_ptr<reader_pool> readers_;
};

template <class F>
task<std::invoke_result_t<F&, connection&>> database::write_freeing(F work)
{
    auto again = work;
    try {
        auto first = writer_->run(std::move(work));
        co_return co_await std::move(first);
    } catch (const storage_error& failure) {
        if (failure.fault() != storage_fault::disk_full || !make_room_)
            throw;
    }
    make_room_();
    auto second = writer_->run(std::move(again));
    co_return co_await std::move(second);
}

}    // namespace caisson::sqlite
