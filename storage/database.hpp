#pragma once

#include "storage/migrator.hpp"
#include "storage/reader_pool.hpp"
#include "storage/writer.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace caisson::sqlite {

struct database_options {
    std::size_t readers = 2;
    migrate_policy migrations = migrate_policy::apply;
    writer_limits writing;
};

/// One database file: its writer's thread and its readers. Destroy it before the io_context that its callers run on; what
/// was queued is finished first.
class database {
public:
    /// Makes `file` (0600) if it does not exist and brings it to the newest schema. Throws storage_error.
    database(const std::filesystem::path& file, const schema& wanted, database_options options = {});

    /// `work(connection&)` in a transaction shared with others; returns when it is durable. See writer::run.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> write(F work)
    {
        return writer_->run(std::move(work));
    }
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

    /// Transactions committed, and closures in them, since the start.
    std::uint64_t commits() const { return writer_->commits(); }
    std::uint64_t writes() const { return writer_->closures(); }

private:
    std::unique_ptr<writer> writer_;    // outlives the readers: the last connection to close tidies the file up
    std::unique_ptr<reader_pool> readers_;
};

}    // namespace caisson::sqlite
