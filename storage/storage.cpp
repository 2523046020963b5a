#include "storage/storage.hpp"

#include "storage/database.hpp"
#include "storage/directory_lock.hpp"
#include "storage/event_store.hpp"
#include "storage/execution_store.hpp"
#include "storage/key_store.hpp"
#include "storage/sandbox_store.hpp"
#include "storage/schemas.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace caisson {

namespace {

void make_directory(const std::filesystem::path& dir)
{
    std::error_code failure;
    if (const auto parent = dir.parent_path(); !parent.empty())
        std::filesystem::create_directories(parent, failure);
    if (::mkdir(dir.c_str(), 0700) != 0 && !(errno == EEXIST && std::filesystem::is_directory(dir, failure)))
        throw storage_error(storage_fault::broken, "cannot make the data directory " + dir.string() + ": " + std::strerror(errno));
}

sqlite::directory_lock lock_for_server(const std::filesystem::path& dir)
{
    const auto file = dir / "server.lock";
    if (auto lock = sqlite::directory_lock::try_take(file))
        return std::move(*lock);
    throw storage_error(storage_fault::locked, "the data directory " + dir.string() + " is used by another server (process " +
                                                   std::to_string(sqlite::directory_lock::owner(file)) +
                                                   "): stop it, or give this one another directory");
}

class sqlite_storage : public storage {
public:
    sqlite_storage(std::optional<sqlite::directory_lock> lock, const std::filesystem::path& dir, sqlite::database_options options)
        : lock_(std::move(lock))
        , records_(dir / "records.db", sqlite::records_schema, options)
        , events_(dir / "events.db", sqlite::events_schema, options)
    {
    }

    key_store& keys() override { return key_store_; }
    sandbox_store& sandboxes() override { return sandbox_store_; }
    execution_store& executions() override { return execution_store_; }
    event_store& events() override { return event_store_; }
    storage_counters counters() const override { return {records_.writes(), records_.commits(), events_.writes(), events_.commits()}; }

private:
    std::optional<sqlite::directory_lock> lock_;
    sqlite::database records_;
    sqlite::database events_;
    sqlite_key_store key_store_{records_};
    sqlite_sandbox_store sandbox_store_{records_};
    sqlite_execution_store execution_store_{records_};
    sqlite_event_store event_store_{events_};
};

}    // namespace

std::unique_ptr<storage> storage::open(const std::filesystem::path& data_dir, storage_options options)
{
    auto dir = std::filesystem::absolute(data_dir).lexically_normal();
    if (!dir.has_filename())    // "data/"
        dir = dir.parent_path();
    make_directory(dir);
    // Held while opening: a server and a tool that both begin a fresh directory do so one after the other.
    const auto opening = sqlite::directory_lock::wait(dir / "open.lock");
    std::optional<sqlite::directory_lock> lock;
    sqlite::database_options wanted{.readers = options.readers};
    if (options.access == storage_access::server)
        lock = lock_for_server(dir);
    else if (sqlite::directory_lock::is_held(dir / "server.lock"))
        wanted.migrations = sqlite::migrate_policy::require_current;
    return std::make_unique<sqlite_storage>(std::move(lock), dir, wanted);
}

}    // namespace caisson
