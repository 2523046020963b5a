#include "storage/sqlite/directory_lock.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/storage.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/log_builder.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/live_heap.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>

namespace caisson::testing {

namespace {

constexpr storage_options tool{.access = storage_access::tool, .readers = 1};

class Storage : public ::testing::Test {
protected:
    /// What open() says when it fails.
    std::string refusal(storage_fault fault, storage_options options = {})
    {
        try {
            storage::open(data_, options);
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), fault) << e.what();
            return e.what();
        }
        ADD_FAILURE() << "it opened";
        return "";
    }
    template <class T>
    T run(task<T> work)
    {
        return run_task(context_, std::move(work));
    }
    static mode_t mode_of(const std::filesystem::path& file)
    {
        struct stat found{};
        EXPECT_EQ(::stat(file.c_str(), &found), 0) << file;
        return found.st_mode & 07777;
    }

    temp_dir dir_;
    const std::filesystem::path data_ = dir_ / "a/data";
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
};

TEST_F(Storage, MakesItsDirectoryAndFilesForTheOwnerOnly)
{
    const auto stores = storage::open(data_);
    EXPECT_EQ(mode_of(data_), 0700u);
    ASSERT_TRUE(run(stores->executions().insert(execution(1), {})).has_value());
    ASSERT_TRUE(run(stores->events().append(numbered<execution_id>(1), log_builder().out("a").events(), {})).has_value());
    int files = 0;
    for (const auto& each : std::filesystem::directory_iterator(data_)) {
        EXPECT_EQ(mode_of(each.path()), 0600u) << each.path();
        ++files;
    }
    EXPECT_EQ(files, 13) << "three databases with -wal and -shm, whole chunks, two locks, the reserve";
}

TEST_F(Storage, ATrailingSlashDoesNotOpenTheDirectoryToOthers)
{
    storage::open(data_ / "");
    EXPECT_EQ(mode_of(data_), 0700u);
}

TEST_F(Storage, KeepsWhatReturnedAcrossReopening)
{
    const auto log = log_builder().out("abc").control(event_kind::exit, "{}").take();
    {
        const auto stores = storage::open(data_);
        const auto tenant = *run(stores->keys().ensure_tenant("acme", numbered<tenant_id>(1), 1));
        api_key_row key;
        key.id = numbered<key_id>(1);
        key.tenant = tenant;
        key.hash = "hash-1";
        ASSERT_TRUE(run(stores->keys().insert_key(key)).has_value());
        ASSERT_TRUE(run(stores->keys().touch_key(key.id, 77)).has_value());
        ASSERT_TRUE(run(stores->executions().insert(full_execution(1), {})).has_value());
        ASSERT_TRUE(run(stores->events().append(numbered<execution_id>(1), log, {})).has_value());
        EXPECT_EQ(stores->counters().event_writes, 1u);
    }
    const auto stores = storage::open(data_);
    EXPECT_EQ(run(stores->keys().find_key("hash-1"))->last_used_at_ms, 77) << "written when the storage was closed";
    EXPECT_EQ(text_of(*run(stores->executions().find(numbered<tenant_id>(1), numbered<execution_id>(1)))), text_of(full_execution(1)));
    EXPECT_EQ(texts_of(*run(stores->events().read(numbered<execution_id>(1), {}, 1000))), texts_of(log));
}

TEST_F(Storage, OfOutputThatWasWrittenLittleStaysInMemory)
{
    constexpr std::ptrdiff_t most_kept = 12 << 20;
    constexpr std::size_t chunk_bytes = 1 << 20;
    constexpr int chunks = 24;
    const auto stores = storage::open(data_);
    log_builder log;
    const auto before = live_heap_bytes();
    for (int i = 0; i < chunks; ++i)
        ASSERT_TRUE(run(stores->events().append(numbered<execution_id>(1), log.out(std::string(chunk_bytes, 'x')).take(), {})).has_value());
    EXPECT_LT(live_heap_bytes() - before, most_kept);
}

TEST_F(Storage, ASpecIsDroppedWhenItsExecutionHasEnded)
{
    const auto stores = storage::open(data_);
    ASSERT_TRUE(run(stores->executions().insert(execution(1), {})).has_value());
    ASSERT_TRUE(run(stores->executions().insert(execution(2), {})).has_value());
    ASSERT_TRUE(run(stores->executions().update(full_execution(1))).has_value());
    sqlite::connection db(data_ / "records.db", sqlite::open_mode::read_only);
    EXPECT_EQ(db.integer("SELECT count(*) FROM execution_specs"), 1);
}

TEST_F(Storage, ASecondServerIsRefusedWithTheFirstOnesProcess)
{
    auto stores = storage::open(data_);
    const auto says = refusal(storage_fault::locked);
    EXPECT_NE(says.find("process " + std::to_string(::getpid())), std::string::npos) << says;
    stores.reset();
    storage::open(data_);
}

TEST_F(Storage, AToolWorksBesideAServerAndBothSeeEachOther)
{
    const auto server = storage::open(data_);
    const auto first_tool = storage::open(data_, tool);
    const auto second_tool = storage::open(data_, tool);
    const auto tenant = *run(first_tool->keys().ensure_tenant("acme", numbered<tenant_id>(1), 1));
    EXPECT_EQ(*run(server->keys().ensure_tenant("acme", numbered<tenant_id>(2), 1)), tenant);
    EXPECT_EQ(*run(second_tool->keys().ensure_tenant("acme", numbered<tenant_id>(3), 1)), tenant);
}

TEST_F(Storage, AToolBeginsAFreshDirectoryAndDoesNotKeepAServerOut)
{
    const auto alone = storage::open(data_, tool);
    const auto server = storage::open(data_);
    EXPECT_TRUE(run(server->executions().insert(execution(1), {})).has_value());
}

TEST_F(Storage, ATwoConnectionWriteWaitsForTheOther)
{
    const auto server = storage::open(data_);
    const auto other = storage::open(data_, tool);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(run(server->executions().insert(execution(i), {})).has_value());
        ASSERT_TRUE(run(other->executions().request_cancel(numbered<tenant_id>(1), numbered<execution_id>(i))).has_value());
    }
}

TEST_F(Storage, AnUnwritableDirectoryIsNamed)
{
    write_file(dir_ / "a", "a file");
    EXPECT_NE(refusal(storage_fault::broken).find(data_.string()), std::string::npos);
}

struct damage_case {
    std::string name;
    std::function<std::string(std::string)> damage;
};
class DamagedFile : public Storage, public ::testing::WithParamInterface<damage_case> { };
TEST_P(DamagedFile, IsRefusedAndLeftUntouched)
{
    {
        const auto stores = storage::open(data_);
        for (int i = 0; i < 200; ++i)
            ASSERT_TRUE(run(stores->executions().insert(execution(i), {})).has_value());
    }
    const auto damaged = GetParam().damage(read_file(data_ / "records.db"));
    write_file(data_ / "records.db", damaged);
    const auto says = refusal(storage_fault::corrupt);
    EXPECT_NE(says.find("records.db"), std::string::npos) << says;
    EXPECT_TRUE(read_file(data_ / "records.db") == damaged);
}
INSTANTIATE_TEST_SUITE_P(Cases, DamagedFile,
    ::testing::Values(damage_case{"garbage", [](const std::string&) { return std::string(9000, 'x'); }},
        damage_case{"few_bytes", [](const std::string&) { return std::string("hello"); }},
        damage_case{"header_overwritten", [](std::string bytes) { return bytes.replace(0, 16, 16, '\0'); }},
        damage_case{"cut_off", [](const std::string& bytes) { return bytes.substr(0, 8192); }},
        damage_case{"schema_overwritten", [](std::string bytes) { return bytes.replace(100, 3000, 3000, '\xee'); }}),
    [](const auto& info) { return info.param.name; });

/// Writes records one after the other and prints each number when it is durable, until it is killed.
[[noreturn]] void write_until_killed(const std::filesystem::path& data, int out)
{
    busy_context busy;
    auto& context = busy.context;
    const auto stores = storage::open(data);
    for (int i = 0;; ++i) {
        auto row = execution(i);
        row.labels = {{"number", std::to_string(i)}};
        if (!run_task(context, stores->executions().insert(row, {})).has_value())
            ::_exit(3);
        if (!run_task(context, stores->events().append(row.id, log_builder().out("a").err("b").events(), {})).has_value())
            ::_exit(3);
        if (::write(out, &i, sizeof i) != sizeof i)
            ::_exit(0);    // the parent has closed its end; nothing was closed in order here
    }
}

TEST_F(Storage, AKilledServerLosesNothingThatReturnedAndItsLockIsGone)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::close(ends[0]);
        write_until_killed(data_, ends[1]);
    }
    ::close(ends[1]);
    int last = -1;
    while (last < 30 && ::read(ends[0], &last, sizeof last) == sizeof last) { }
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    while (::read(ends[0], &last, sizeof last) == sizeof last) {    // what it said before it died
    }
    ::close(ends[0]);
    ASSERT_GE(last, 30);

    const auto stores = storage::open(data_);
    execution_filter all;
    all.limit = 100'000;
    const auto rows = *run(stores->executions().list(numbered<tenant_id>(1), all));
    EXPECT_GE(rows.size(), static_cast<std::size_t>(last) + 1);
    EXPECT_EQ(run(stores->executions().unfinished({}, 100'000))->size(), rows.size()) << "each record has its spec";
    for (int i = 0; i <= last; ++i)
        EXPECT_EQ(run(stores->events().extent(numbered<execution_id>(i)))->stored_output_bytes, 2u) << i;
}

}    // namespace

}    // namespace caisson::testing
