#include "storage/storage.hpp"

#include "storage/check/chunk_check.hpp"
#include "storage/content/content_rows.hpp"
#include "storage/content/content_store.hpp"
#include "storage/content/disk_reserve.hpp"
#include "storage/data_directory.hpp"
#include "storage/sql.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/directory_lock.hpp"
#include "storage/sqlite/file_check.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/stores/allowed_image_store.hpp"
#include "storage/stores/artifact_store.hpp"
#include "storage/stores/event_store.hpp"
#include "storage/stores/execution_store.hpp"
#include "storage/stores/key_store.hpp"
#include "storage/stores/sandbox_store.hpp"
#include "storage/stores/signing_key_store.hpp"
#include "storage/stores/skill_store.hpp"
#include "storage/stores/thread_store.hpp"
#include "storage/stores/tidying.hpp"
#include "storage/stores/webhook_store.hpp"

namespace caisson {

namespace {

sqlite::directory_lock lock_for_server(const std::filesystem::path& dir)
{
    const auto file = dir / "server.lock";
    if (auto lock = sqlite::directory_lock::try_take(file))
        return std::move(*lock);
    throw storage_error(storage_fault::locked, "the data directory " + dir.string() + " is used by another server (process " +
                                                   std::to_string(sqlite::directory_lock::owner(file)) +
                                                   "): stop it, or give this one another directory");
}

/// A directory of an earlier version has no contents.
bool knows_contents(const std::filesystem::path& records) { return sqlite::stored_version(records) >= sqlite::first_records_with_contents; }

/// Without a change of any file, as far as a database can be read that way.
void check_chunk_file(const std::filesystem::path& database)
{
    std::error_code absent;
    const auto log_bytes = std::filesystem::file_size(std::filesystem::path(database).concat("-wal"), absent);
    std::optional<sqlite::connection> db;
    try {
        db.emplace(database, absent || log_bytes == 0 ? sqlite::open_mode::frozen : sqlite::open_mode::read_only);
    } catch (const storage_error&) {    // opening it says what is wrong
        return;
    }
    sqlite::check_places(*db);
}

/// Before anything is opened: SQLite would repair, or begin anew, without a word.
void check_files(const std::filesystem::path& dir)
{
    using sqlite::file_content;
    const auto records = sqlite::check_unopened(dir / "records.db", sqlite::records_schema);
    const auto events = sqlite::check_unopened(dir / "events.db", sqlite::events_schema);
    const auto content = sqlite::check_unopened(dir / "content.db", sqlite::content_schema);
    if (records == file_content::data && events == file_content::nothing)    // events.db is made first
        sqlite::throw_damaged(dir / "events.db", "it is empty or gone, but records.db is not");
    if (records == file_content::data && content == file_content::nothing && knows_contents(dir / "records.db"))
        sqlite::throw_damaged(dir / "content.db", "it is empty or gone, but records.db is not");
    if (content == file_content::data)
        check_chunk_file(dir / "content.db");
}

std::string tag_key_of(const std::filesystem::path& database)
{
    sqlite::connection db(database, sqlite::open_mode::read_only);
    return sqlite::find_tag_key(db);
}

/// Writes without a change.
void try_to_write(sqlite::connection& db) { db.execute("PRAGMA user_version = " + std::to_string(db.integer("PRAGMA user_version"))); }

class sqlite_storage : public storage {
public:
    sqlite_storage(std::optional<sqlite::directory_lock> lock, std::filesystem::path dir, const storage_options& wanted,
        const sqlite::database_options& options)
        : lock_(std::move(lock))
        , dir_(std::move(dir))
        , reserve_(dir_ / "reserve", wanted.reserve_bytes)
        , events_(dir_ / "events.db", sqlite::events_schema, with_idle_work(options, &sqlite::tidy_events))
        , chunks_(dir_ / "content.db")
        , content_(dir_ / "content.db", sqlite::content_schema,
              with_long_log(with_idle_work(options, content_tidying()), wanted.burst_log_bytes))
        , records_(dir_ / "records.db", sqlite::records_schema,
              with_log_ahead(with_idle_work(options, &sqlite::tidy_records), wanted.ahead_log_bytes))
        , content_store_({content_, chunks_, tag_key_of(dir_ / "content.db"), debris_, wanted.make_hasher, clock_})
    {
        if (!lock_)
            return;
        reserve_.keep();
        drop_what_is_unfinished();
    }

    key_store& keys() override { return key_store_; }
    sandbox_store& sandboxes() override { return sandbox_store_; }
    execution_store& executions() override { return execution_store_; }
    event_store& events() override { return event_store_; }
    skill_store& skills() override { return skill_store_; }
    content_store& contents() override { return content_store_; }
    artifact_store& artifacts() override { return artifact_store_; }
    signing_key_store& signing_keys() override { return signing_key_store_; }
    webhook_store& webhooks() override { return webhook_store_; }
    allowed_image_store& allowed_images() override { return allowed_image_store_; }
    thread_store& threads() override { return thread_store_; }
    task<std::map<tenant_id, std::int64_t>> bytes_by_tenant() override;
    void make_room() override;
    task<storage_health> look() override;

    storage_counters counters() const override
    {
        return {records_.writes(), records_.commits(), events_.writes(), events_.commits(), content_.writes(), content_.commits()};
    }

private:
    /// Only a server tidies up: nobody waits for it.
    sqlite::database_options with_idle_work(sqlite::database_options options, sqlite::idle_step step) const
    {
        if (!lock_)
            return options;
        options.make_room = [this] { reserve_.release(); };
        options.idle = [this, step](sqlite::connection& db) {
            if (step(db))
                return true;
            reserve_.keep();
            return false;
        };
        return options;
    }
    static sqlite::database_options with_long_log(sqlite::database_options options, std::int64_t burst_log_bytes)
    {
        options.writing.burst_log_bytes = burst_log_bytes;
        return options;
    }
    sqlite::database_options with_log_ahead(sqlite::database_options options, std::int64_t ahead_log_bytes) const
    {
        options.writing.ahead_log_bytes = lock_ ? ahead_log_bytes : 0;
        return options;
    }
    sqlite::idle_step content_tidying()
    {
        return [this](sqlite::connection& db) { return sqlite::tidy_content(db, chunks_, debris_); };
    }

    /// What an earlier server was writing, before this one writes anything.
    void drop_what_is_unfinished()
    {
        content_.start_write(&sqlite::mark_unfinished_erased, [](std::exception_ptr, auto&&) { });    // or at the next start
        content_.tidy();
        records_.start_write(&sqlite_thread_store::drop_unfinished_imports, [](std::exception_ptr, auto&&) { });
        records_.start_write(&sqlite::abandon_unfinished_bodies, [](std::exception_ptr, auto&&) { });
        records_.tidy();
    }

    std::optional<sqlite::directory_lock> lock_;
    std::filesystem::path dir_;
    sqlite::disk_reserve reserve_;
    system_clock clock_;
    sqlite::content_debris debris_;
    sqlite::database events_;    // made first
    sqlite::chunk_file chunks_;
    sqlite::database content_;
    sqlite::database records_;
    sqlite_key_store key_store_{records_};
    sqlite_sandbox_store sandbox_store_{records_};
    sqlite_execution_store execution_store_{records_};
    sqlite_event_store event_store_{events_, records_};
    sqlite_skill_store skill_store_{records_};
    sqlite_content_store content_store_;
    sqlite_artifact_store artifact_store_{records_};
    sqlite_signing_key_store signing_key_store_{records_};
    sqlite_webhook_store webhook_store_{records_};
    sqlite_allowed_image_store allowed_image_store_{records_};
    sqlite_thread_store thread_store_{records_};
};

/// The sums that one of the databases has.
std::map<tenant_id, std::int64_t> sums_of(sqlite::connection& db, std::string_view statement)
{
    auto query = db.prepare(statement);
    std::map<tenant_id, std::int64_t> sums;
    while (query.step()) {
        sqlite::column_reader columns(query);
        auto tenant = columns.id<tenant_id>();
        sums[std::move(tenant)] += columns.integer();
    }
    return sums;
}

task<std::map<tenant_id, std::int64_t>> sqlite_storage::bytes_by_tenant()
{
    const std::pair<sqlite::database*, std::string_view> parts[] = {
        {&records_, sql::execution::list_kept_bytes}, {&records_, sql::thread::list_bytes}, {&content_, sql::content::list_stored_bytes}};
    std::map<tenant_id, std::int64_t> found;
    for (const auto& [db, statement] : parts) {
        auto look = [text = statement](sqlite::connection& from) { return sums_of(from, text); };
        auto reading = db->read(std::move(look));
        const auto sums = co_await std::move(reading);
        for (const auto& [tenant, bytes] : sums)
            found[tenant] += bytes;
    }
    co_return found;
}

void sqlite_storage::make_room()
{
    for (auto* each : {&records_, &events_, &content_})
        each->tidy();
}

task<storage_health> sqlite_storage::look()
{
    storage_health found;
    for (auto* each : {&records_, &events_, &content_}) {
        try {
            auto trying = each->write(&try_to_write);
            co_await std::move(trying);
        } catch (const storage_error& failure) {
            found.write_failure = failure.what();
        }
        if (const auto faults = each->faults(); !faults.damage.empty())
            found.damage = faults.damage;
    }
    if (debris_.was_postponed())
        content_.tidy();
    std::error_code unknown;
    if (const auto space = std::filesystem::space(dir_, unknown); !unknown) {
        found.free_bytes = space.available;

        found.is_low = space.available < low_disk_bytes;
    }
    co_return found;
}

}    // namespace

std::unique_ptr<storage> storage::open(const std::filesystem::path& data_dir, storage_options options)
{
    auto dir = std::filesystem::absolute(data_dir).lexically_normal();
    if (!dir.has_filename())    // "data/"
        dir = dir.parent_path();
    make_data_directory(dir);
    if (const auto why = why_others_may_write(dir); why && options.access == storage_access::server)
        throw storage_error(storage_fault::broken, *why);
    // Held while opening: a server and a tool that both begin a fresh directory do so one after the other.
    const auto opening = sqlite::directory_lock::wait(dir / "open.lock");
    std::optional<sqlite::directory_lock> lock;
    sqlite::database_options wanted{.readers = options.readers, .patience = options.patience};
    wanted.writing.log_bytes = options.log_bytes;
    const auto server_lock = dir / "server.lock";
    if (options.access == storage_access::server)
        lock = lock_for_server(dir);
    const bool beside_server = !lock && sqlite::directory_lock::is_held(server_lock);
    if (beside_server)
        wanted.migrations = sqlite::migrate_policy::require_current;
    else
        check_files(dir);
    for (const auto* name : {"events.db", "content.db", "records.db"})    // all, before one holds anything
        sqlite::make_file(dir / name);
    return std::make_unique<sqlite_storage>(std::move(lock), std::move(dir), options, wanted);
}

}    // namespace caisson
