#include "adapters/crypto/digest.hpp"
#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/check/inspection.hpp"
#include "storage/check/lost_contents.hpp"
#include "storage/check/snapshot.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/stores/event_store.hpp"
#include "storage/stores/tidying.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/loaded_directory.hpp"
#include "tests/storage/storage_load.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

using ::testing::HasSubstr;

void overwrite(const std::filesystem::path& file, std::size_t at, const std::string& bytes)
{
    auto content = read_file(file);
    ASSERT_LE(at + bytes.size(), content.size());
    write_file(file, content.replace(at, bytes.size(), bytes));
}

void shorten(const std::filesystem::path& file, std::uintmax_t by)
{
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - by);
}

struct damage_case {
    std::string name;
    bool killed;    // the server before was
    std::function<void(const std::filesystem::path&)> harm;
    storage_fault fault;
    std::string says;
};

void PrintTo(const damage_case& one, std::ostream* out) { *out << one.name; }

class DamageAtOpen : public ::testing::TestWithParam<damage_case> { };

TEST_P(DamageAtOpen, IsSaidAndNothingIsOverwritten)
{
    const LoadedDirectory data;
    if (GetParam().killed)
        data.as_after_a_kill();
    GetParam().harm(data.path());
    const auto before = contents_of(data.path());
    for (const auto access : {storage_access::server, storage_access::tool}) {
        try {
            storage::open(data.path(), {.access = access, .readers = 1, .reserve_bytes = 0});
            ADD_FAILURE() << "it opened";
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), GetParam().fault) << e.what();
            EXPECT_THAT(e.what(), HasSubstr(GetParam().says));
        }
        EXPECT_EQ(contents_of(data.path()) == before, true) << "the directory was changed";
    }
    const auto report = inspect(data.path(), [](const std::string&) { });
    EXPECT_FALSE(report.is_clean());
}

const damage_case damages[] = {
    {"cut_in_half", false,
        [](const auto& dir) {
            std::filesystem::resize_file(dir / "records.db", std::filesystem::file_size(dir / "records.db") / 8192 * 4096);
        },
        storage_fault::corrupt, "records.db is damaged (it ends after"},
    {"cut_within_a_page", false, [](const auto& dir) { shorten(dir / "events.db", 100); }, storage_fault::corrupt,
        "events.db is damaged (it ends"},
    {"cut_after_a_kill", true, [](const auto& dir) { write_file(dir / "records.db", read_file(dir / "records.db").substr(0, 10)); },
        storage_fault::corrupt, "records.db is damaged (its beginning"},
    {"header_overwritten", false, [](const auto& dir) { overwrite(dir / "events.db", 0, std::string(100, 'x')); }, storage_fault::corrupt,
        "events.db is damaged (its beginning is not that of a database); nothing was changed. `caisson db check"},
    {"not_a_database", false, [](const auto& dir) { write_file(dir / "records.db", std::string(20'000, 't')); }, storage_fault::corrupt,
        "restore"},
    {"of_another_program", false, [](const auto& dir) { overwrite(dir / "records.db", 68, "abcd"); }, storage_fault::foreign,
        "is not a database of Caisson"},
    {"of_a_newer_version", false, [](const auto& dir) { overwrite(dir / "records.db", 60, std::string("\0\0\0\x63", 4)); },
        storage_fault::newer_schema, "records.db was made by a newer Caisson (schema 99"},
    {"log_header_garbage", true, [](const auto& dir) { overwrite(dir / "records.db-wal", 0, std::string(32, 'g')); },
        storage_fault::corrupt, "records.db-wal is damaged (its header is damaged)"},
    {"log_garbage_in_the_middle", true, [](const auto& dir) { overwrite(dir / "records.db-wal", 5'000, std::string(500, 'g')); },
        storage_fault::corrupt, "transactions lie behind it"},
    {"empty_beside_a_log", true, [](const auto& dir) { write_file(dir / "records.db", ""); }, storage_fault::corrupt,
        "records.db is damaged (it is empty or gone, but its log records.db-wal is not)"},
    {"gone_beside_a_log", true, [](const auto& dir) { std::filesystem::remove(dir / "events.db"); }, storage_fault::corrupt,
        "events.db is damaged (it is empty or gone"},
    {"one_file_gone", false, [](const auto& dir) { std::filesystem::remove(dir / "events.db"); }, storage_fault::corrupt,
        "events.db is damaged (it is empty or gone, but records.db is not)"},
    {"contents_gone", false, [](const auto& dir) { std::filesystem::remove(dir / "content.db"); }, storage_fault::corrupt,
        "content.db is damaged (it is empty or gone, but records.db is not)"},
    {"chunks_gone", false, [](const auto& dir) { std::filesystem::remove(dir / "content.db-chunks"); }, storage_fault::corrupt,
        "content.db-chunks is damaged (it has room for 0 of"},
    {"chunks_cut", true, [](const auto& dir) { shorten(dir / "content.db-chunks", 1); }, storage_fault::corrupt,
        "content.db-chunks is damaged"},
    {"contents_cut", true, [](const auto& dir) { write_file(dir / "content.db", read_file(dir / "content.db").substr(0, 10)); },
        storage_fault::corrupt, "content.db is damaged (its beginning"},
};

INSTANTIATE_TEST_SUITE_P(Cases, DamageAtOpen, ::testing::ValuesIn(damages), [](const auto& info) { return info.param.name; });

TEST(Damage, InThePagesIsFoundByTheCheckAndTheRestIsServed)
{
    LoadedDirectory data;
    const auto file = data.path() / "events.db";
    std::size_t page = 0;
    {
        sqlite::connection db(file, sqlite::open_mode::read_only);
        page = static_cast<std::size_t>(db.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'cuts'"));
    }
    overwrite(file, (page - 1) * 16'384, std::string(16'384, 'g'));
    const auto report = inspect(data.path(), [](const std::string&) { });
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].weight, finding_weight::damage);
    EXPECT_EQ(report.findings[0].file, "events.db");
    const auto store = storage::open(data.path(), {.readers = 1, .reserve_bytes = 0});
    EXPECT_THROW(run_task(data.context(), store->events().extent(numbered<execution_id>(2))), storage_error);
    EXPECT_TRUE(run_task(data.context(), store->executions().find(numbered<tenant_id>(1), numbered<execution_id>(2))).has_value());
    const auto health = run_task(data.context(), store->look());
    EXPECT_THAT(health.damage, HasSubstr("events.db"));
    EXPECT_EQ(health.write_failure, "");
}

TEST(Damage, ALogThatAPowerCutToreAtItsEndIsNone)
{
    const LoadedDirectory data;
    data.as_after_a_kill();
    const auto log = data.path() / "records.db-wal";
    overwrite(log, std::filesystem::file_size(log) - 600, std::string(600, 'g'));
    storage::open(data.path(), {.readers = 1, .reserve_bytes = 0});
    EXPECT_EQ(integrity_of(data.path()), "");
}

TEST(Snapshot, OfRecordsFromBeforeLogsLayWithThem)
{
    const LoadedDirectory data;
    {
        sqlite::connection db(data.path() / "records.db", sqlite::open_mode::read_write);
        db.execute("DROP TABLE events; DROP TABLE logs; DELETE FROM schema_migrations WHERE version = 13; PRAGMA user_version = 12");
        db.tidy_up_on_close();
    }
    const fast_dir into;
    const auto summary = take_snapshot(data.path(), into.path(), [](const std::string&, std::uint64_t, std::uint64_t) { });
    EXPECT_EQ(summary.without_end.size(), 2u) << "those whose logs were taken away with the tables";
}

TEST(Snapshot, IsTheSameInFilesThatNeedNoOthers)
{
    const LoadedDirectory data;
    const auto server = storage::open(data.path(), {.readers = 1, .reserve_bytes = 0});
    const fast_dir into;
    std::uint64_t copied = 0;
    const auto summary =
        take_snapshot(data.path(), into.path(), [&](const std::string&, std::uint64_t done, std::uint64_t) { copied = done; });
    EXPECT_GT(copied, 0u);
    EXPECT_TRUE(summary.without_end.empty());
    EXPECT_EQ(contents_of(into.path()).size(), 3u);
    for (const auto file : all_databases)
        EXPECT_EQ(content_of(into.path(), file), content_of(data.path(), file));
    EXPECT_EQ(integrity_of(into.path()), "");
    sqlite::connection db(into.path() / "content.db", sqlite::open_mode::frozen);
    EXPECT_EQ(db.integer("SELECT count(*) FROM chunk_bytes WHERE length(data) = 262144"), 2) << "whole chunks are rows";
    EXPECT_TRUE(inspect(into.path(), [](const std::string&) { }, &make_sha256_hasher).is_clean());
}

TEST(Snapshot, LeavesOutWhatIsBeingRemoved)
{
    LoadedDirectory data;
    const auto server = storage::open(data.path(), {.readers = 1, .reserve_bytes = 0});
    const auto id = numbered<execution_id>(2);
    bool removed = false;
    // Between the two copies: the records are copied, the events are not.
    const auto between = [&](const std::string& file, std::uint64_t, std::uint64_t) {
        if (file != "records.db" || std::exchange(removed, true))
            return;
        ASSERT_TRUE(run_task(data.context(), server->events().erase(id)).has_value());
        ASSERT_TRUE(run_task(data.context(), server->executions().erase(numbered<tenant_id>(1), id)).has_value());
    };
    const fast_dir into;
    const auto summary = take_snapshot(data.path(), into.path(), between);
    EXPECT_EQ(summary.being_removed, 1u);
    EXPECT_TRUE(summary.without_end.empty());
    EXPECT_TRUE(inspect(into.path(), [](const std::string&) { }).is_clean());
}

/// A flipped bit is nothing that SQLite can tell.
TEST(DeepInspection, FindsAFlippedBitInAContent)
{
    const LoadedDirectory data;
    {
        sqlite::connection db(data.path() / "content.db", sqlite::open_mode::read_write);
        db.execute("UPDATE chunk_bytes SET data = zeroblob(length(data)) WHERE chunk = 1");
        ASSERT_EQ(db.changes(), 1);
        db.tidy_up_on_close();
    }
    EXPECT_TRUE(inspect(data.path(), [](const std::string&) { }).is_clean());
    const auto report = inspect(data.path(), [](const std::string&) { }, &make_sha256_hasher);
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.back().weight, finding_weight::damage);
    EXPECT_THAT(report.findings.back().what, HasSubstr("chunk 1 (of content cnt_"));
}

TEST(DeepInspection, FindsAFlippedBitInAWholeChunk)
{
    const LoadedDirectory data;
    overwrite(data.path() / "content.db-chunks", 1000, "x");
    EXPECT_TRUE(inspect(data.path(), [](const std::string&) { }).is_clean());
    const auto report = inspect(data.path(), [](const std::string&) { }, &make_sha256_hasher);
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.back().weight, finding_weight::damage);
    EXPECT_THAT(report.findings.back().what, HasSubstr("is not what was written"));
}

/// What a tag is to a newer chunk.
TEST(DeepInspection, ComparesAnOlderChunkWithItsDigest)
{
    const LoadedDirectory data;
    const auto set_tag = [&](const std::string& tag) {
        sqlite::connection db(data.path() / "content.db", sqlite::open_mode::read_write);
        db.execute("UPDATE chunks SET tag = x'" + tag + "' WHERE key = 1");
        db.tidy_up_on_close();
    };
    const auto is_clean = [&] { return inspect(data.path(), [](const std::string&) { }, &make_sha256_hasher).is_clean(); };
    set_tag(sha256_hex("first"));
    EXPECT_TRUE(is_clean());
    set_tag(sha256_hex("second"));
    EXPECT_FALSE(is_clean());
}

TEST(Snapshot, LosesRecordsOfContentsThatWereRemovedMeanwhile)
{
    LoadedDirectory data;
    const auto server = storage::open(data.path(), {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher});
    const auto tenant = numbered<tenant_id>(1);
    const auto id = numbered<execution_id>(2);
    const auto gone = run_task(data.context(), server->artifacts().find(tenant, id, "a"))->content;
    bool removed = false;
    const auto between = [&](const std::string& file, std::uint64_t, std::uint64_t) {
        if (file == "events.db" && !std::exchange(removed, true))
            ASSERT_TRUE(run_task(data.context(), server->contents().erase(tenant, {gone})).has_value());
    };
    const fast_dir into;
    const auto summary = take_snapshot(data.path(), into.path(), between);
    EXPECT_EQ(summary.content_schema, 4u);
    EXPECT_FALSE(inspect(into.path(), [](const std::string&) { }).is_clean());
    EXPECT_EQ(drop_lost_contents(into.path()).artifacts, 1u);
    EXPECT_EQ(drop_lost_contents(into.path()).artifacts, 0u);
    EXPECT_TRUE(inspect(into.path(), [](const std::string&) { }, &make_sha256_hasher).is_clean());
}

/// Two versions of one skill: the newer package of the first is lost, the only one of the second is not.
TEST(LostContents, AVersionGoesWithTheOlderPackagesThatNobodyWouldFindAnyMore)
{
    const fast_dir dir;
    busy_context busy;
    const auto tenant = numbered<tenant_id>(1);
    std::vector<skill_revision> rows;
    {
        const auto store = storage::open(dir.path(), {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher});
        for (const auto* version : {"1.0.0", "1.0.0", "2.0.0"}) {
            const auto bytes = "package " + std::to_string(rows.size());
            const auto content = *run_task(busy.context, write_all(store->contents().create(tenant), bytes));
            auto& row = rows.emplace_back();
            row.tenant = tenant;
            row.manifest.name = "x";
            row.manifest.version = version;
            row.digest = content.sha256;
            row.content = content.id;
            row.size_bytes = content.size_bytes;
            row.uploaded_at_ms = static_cast<std::int64_t>(rows.size());
            ASSERT_TRUE(run_task(busy.context, store->skills().put(row, {})).has_value());
        }
        ASSERT_TRUE(run_task(busy.context, store->contents().erase(tenant, {rows[1].content})).has_value());
    }
    EXPECT_EQ(drop_lost_contents(dir.path()).packages, 1u);
    EXPECT_EQ(drop_lost_contents(dir.path()).packages, 0u);
    const auto store = storage::open(dir.path(), {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher});
    EXPECT_EQ(run_task(busy.context, store->skills().list(tenant, {}))->size(), 1u);
    EXPECT_EQ(run_task(busy.context, store->skills().usage(tenant))->packages, 1);
    for (const auto& row : {rows[0], rows[1]})
        EXPECT_TRUE(run_task(busy.context, store->skills().put(row, {}))->is_new) << "it can be uploaded again";
}

/// What a torn transaction left behind the valid frames has the old salts: it counts as damage no more.
TEST(LogAfterAKill, BeginsAnewWithOtherSalts)
{
    constexpr std::size_t salts_at = 16, salts_bytes = 8;
    LoadedDirectory loaded;
    loaded.as_after_a_kill();
    const auto salts = [&](const char* name) { return read_file(loaded.path() / name).substr(salts_at, salts_bytes); };
    const std::map<std::string, std::string> before{{"records.db-wal", salts("records.db-wal")}, {"events.db-wal", salts("events.db-wal")}};
    const auto store = storage::open(loaded.path(), {.readers = 1, .reserve_bytes = 0});
    EXPECT_TRUE(run_task(loaded.context(), store->look()).write_failure.empty());
    for (const auto& [name, old] : before)
        EXPECT_NE(salts(name.c_str()), old) << name;
}

}    // namespace

}    // namespace caisson::testing
