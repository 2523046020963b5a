#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/check/inspection.hpp"
#include "storage/content/chunk_file.hpp"
#include "storage/sqlite/database.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/migrator.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/storage.hpp"
#include "tests/storage/artifact_rows.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/frozen_schema.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

using sqlite::connection;
using sqlite::migrate_policy;
using sqlite::open_mode;
using text_pair = std::pair<std::string_view, std::string_view>;

constexpr text_pair first{"0001_a.sql", "CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (1);"};
constexpr text_pair second{"0002_b.sql", "ALTER TABLE a ADD COLUMN m INTEGER NOT NULL DEFAULT 5;"};

class Migrator : public ::testing::Test {
protected:
    Migrator() { write_file(dir_ / "m.db", ""); }
    void migrate(std::vector<text_pair> migrations, migrate_policy policy = migrate_policy::apply)
    {
        connection db(dir_ / "m.db", open_mode::read_write);
        sqlite::migrate(db, {42, migrations}, policy);
    }
    void expect_refused(
        storage_fault fault, const std::string& says, std::vector<text_pair> migrations, migrate_policy policy = migrate_policy::apply)
    {
        const auto before = number("SELECT count(*) FROM sqlite_schema") * 1000 + number("PRAGMA user_version");
        try {
            migrate(std::move(migrations), policy);
            ADD_FAILURE() << "not refused";
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), fault) << e.what();
            EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
        }
        EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema") * 1000 + number("PRAGMA user_version"), before);
    }
    std::int64_t number(std::string_view sql)
    {
        connection db(dir_ / "m.db", open_mode::read_write);
        return db.integer(sql);
    }
    temp_dir dir_;
};

TEST_F(Migrator, AFreshFileGetsAllInOrder)
{
    migrate({first, second});
    EXPECT_EQ(number("SELECT n + m FROM a"), 6);
    EXPECT_EQ(number("PRAGMA user_version"), 2);
    EXPECT_EQ(number("PRAGMA application_id"), 42);
    EXPECT_EQ(number("SELECT count(*) FROM schema_migrations WHERE applied_at_ms > 1700000000000"), 2);
}

TEST_F(Migrator, AnOlderFileGetsWhatItLacksAndOnlyThat)
{
    migrate({first});
    migrate({first, second});
    migrate({first, second});
    EXPECT_EQ(number("SELECT count(*) FROM a"), 1);
    EXPECT_EQ(number("SELECT n + m FROM a"), 6);
}

TEST_F(Migrator, AFailingMigrationLeavesTheSchemaBeforeIt)
{
    const text_pair failing{"0002_b.sql", "CREATE TABLE b (n INTEGER); INSERT INTO nothing VALUES (1);"};
    EXPECT_THROW(migrate({first, failing}), storage_error);
    EXPECT_EQ(number("PRAGMA user_version"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name = 'b'"), 0);
    migrate({first, second});
    EXPECT_EQ(number("PRAGMA user_version"), 2);
}

TEST_F(Migrator, AChangedMigrationIsRefused)
{
    migrate({first, second});
    const text_pair changed{"0001_a.sql", "CREATE TABLE a (n TEXT);"};
    expect_refused(storage_fault::changed_migration, "0001_a.sql", {changed, second});
}

TEST_F(Migrator, ANewerSchemaIsRefused)
{
    migrate({first, second});
    expect_refused(
        storage_fault::newer_schema, "m.db was made by a newer Caisson (schema 2, this one knows up to 1): run that version", {first});
}

TEST_F(Migrator, AForeignDatabaseIsRefused)
{
    {
        connection db(dir_ / "m.db", open_mode::read_write);
        db.execute("CREATE TABLE theirs (n INTEGER)");
    }
    expect_refused(storage_fault::foreign, "is not a database of Caisson", {first});
}

TEST_F(Migrator, AToolDoesNotChangeTheSchemaUnderAServer)
{
    expect_refused(storage_fault::newer_schema, "stop the server first", {first}, migrate_policy::require_current);
    migrate({first});
    migrate({first}, migrate_policy::require_current);
    expect_refused(storage_fault::newer_schema, "stop the server first", {first, second}, migrate_policy::require_current);
}

TEST_F(Migrator, ChecksumsAreFnv1a)
{
    EXPECT_EQ(sqlite::checksum_of(""), "cbf29ce484222325");
    EXPECT_EQ(sqlite::checksum_of("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(sqlite::checksum_of("foobar"), "85944171f73967e8");
}

/// The texts of migrations that have been given out; they never change, new ones are added below.
TEST(Migrations, AreAsTheyWereGivenOut)
{
    struct given_out {
        std::string_view name;
        std::string checksum;
    };
    const auto expect = [](const sqlite::schema& schema, const std::vector<given_out>& want) {
        ASSERT_EQ(schema.migrations.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(schema.migrations[i].first, want[i].name);
            EXPECT_EQ(sqlite::checksum_of(schema.migrations[i].second), want[i].checksum) << want[i].name;
        }
    };
    expect(sqlite::records_schema,
        {{"0001_tenants_keys_sandboxes_executions.sql", "13f6157e3be57429"}, {"0002_execution_list_indexes.sql", "2e1edba21f7224d6"},
            {"0003_idempotency_keys.sql", "c5f584b0ae5a5291"}, {"0004_sandboxes_ended.sql", "d47b2bb9f78b4597"},
            {"0005_execution_details.sql", "cc1b177e3851f284"}, {"0006_skills.sql", "f83001cfdc776dae"},
            {"0007_artifacts.sql", "5551441b5829fe93"}, {"0008_webhooks.sql", "a3cc3fd6f810b40d"},
            {"0009_allowed_images.sql", "4d22bebd32c8cd7f"}, {"0010_artifact_totals_by_transaction.sql", "5f7abcb003601a56"},
            {"0011_threads.sql", "6b5ec1a8ae3355e7"}, {"0012_execution_totals.sql", "e6c06949134d817f"},
            {"0013_whole_logs.sql", "21204422f1a7b370"}, {"0014_thread_totals_by_transaction.sql", "86e473d0d7872374"},
            {"0015_execution_bytes.sql", "1b411ad7cff513ff"}, {"0016_spec_bodies.sql", "8e52d0e83e014dce"},
            {"0017_sandbox_holders.sql", "ac46d30b6cc8082c"}});
    expect(sqlite::events_schema, {{"0001_logs.sql", "155623159c89aff9"}});
    expect(sqlite::content_schema,
        {{"0001_contents.sql", "c16bff602725093a"}, {"0002_chunk_places.sql", "913564330db26032"},
            {"0003_stored_totals_by_transaction.sql", "c9755743ed69eaff"}, {"0004_packed_pieces.sql", "7618959752dfa350"}});
}

/// Replaces the one `mark` in `text`.
std::string with(std::string text, const std::string& mark, const std::string& value)
{
    return text.replace(text.find(mark), mark.size(), value);
}

class RecordsOfSchema1 : public ::testing::Test {
protected:
    RecordsOfSchema1()
    {
        const sqlite::database events(dir_ / "events.db", sqlite::events_schema);
        write_file(dir_ / "records.db", "");
        connection db(dir_ / "records.db", open_mode::read_write);
        auto script = with(std::string(records_of_schema_1), "CHECKSUM", sqlite::checksum_of(sqlite::records_schema.migrations[0].second));
        db.execute(with(std::move(script), "SPEC", spec_to_json({})));
    }
    /// Tables, columns and indexes, without the order in which they were made.
    static std::vector<std::string> shape_of(const std::filesystem::path& file)
    {
        connection db(file, open_mode::read_write);
        auto query = db.prepare(
            "SELECT m.type || ' ' || m.name || ' ' || coalesce(i.name, c.name || ' ' || c.type || c.\"notnull\" || c.pk) AS line "
            "FROM sqlite_schema AS m LEFT JOIN pragma_table_info(m.name) AS c LEFT JOIN pragma_index_info(m.name) AS i ORDER BY line");
        std::vector<std::string> lines;
        while (query.step())
            lines.emplace_back(query.view(0));
        return lines;
    }
    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
};

TEST_F(RecordsOfSchema1, KeepTheirRowsAndGetTheSchemaOfAFreshFile)
{
    auto stores = storage::open(dir_.path());
    const auto tenant = numbered<tenant_id>(1);
    EXPECT_EQ(*run_task(context_, stores->keys().ensure_tenant("acme", numbered<tenant_id>(2), 1)), tenant);
    EXPECT_EQ(run_task(context_, stores->keys().find_key("hash-1"))->last_used_at_ms, 1500);
    const auto alive = run_task(context_, stores->sandboxes().alive());
    ASSERT_EQ(alive->size(), 1u);
    EXPECT_EQ(alive->front().holder, holder_ref{}) << "sandboxes of earlier releases were made for executions";
    execution_filter ended;
    ended.status = execution_status::success;
    const auto rows = *run_task(context_, stores->executions().list(tenant, ended));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].id, numbered<execution_id>(1));
    EXPECT_EQ(rows[0].labels.at("team"), "a");
    const auto unfinished = *run_task(context_, stores->executions().unfinished({}, 100));
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_TRUE(unfinished[0].row.cancel_requested);
    stores.reset();

    storage::open(dir_ / "fresh");
    EXPECT_EQ(shape_of(dir_ / "records.db"), shape_of(dir_ / "fresh/records.db"));
    EXPECT_GT(shape_of(dir_ / "records.db").size(), 60u);
}

TEST_F(RecordsOfSchema1, AsSchema2GetUsedKeysBesideTheirRows)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(2);
        sqlite::migrate(db, schema, migrate_policy::apply);
        EXPECT_EQ(db.integer("SELECT count(*) FROM executions"), 2);
    }
    auto stores = storage::open(dir_.path());
    const auto tenant = numbered<tenant_id>(1);
    EXPECT_EQ(run_task(context_, stores->executions().list(tenant, {}))->size(), 2u);
    const idempotency_record key{tenant, {"POST /x", "k", "f"}, numbered<execution_id>(3), 1, 2};
    ASSERT_TRUE(run_task(context_, stores->executions().insert_with_key(execution(3), {}, key, 1)).has_value());
    EXPECT_EQ(run_task(context_, stores->executions().find_key(tenant, "POST /x", "k"))->execution, numbered<execution_id>(3));
    EXPECT_EQ(run_task(context_, stores->executions().list(tenant, {}))->size(), 3u);
}

TEST_F(RecordsOfSchema1, AsSchema4GetDetailsBesideTheirRows)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(4);
        sqlite::migrate(db, schema, migrate_policy::apply);
        EXPECT_EQ(db.integer("SELECT count(*) FROM executions"), 2);
    }
    auto stores = storage::open(dir_.path());
    const auto tenant = numbered<tenant_id>(1);
    const auto old = run_task(context_, stores->executions().find(tenant, numbered<execution_id>(1)));
    EXPECT_EQ(old->skill_name + old->skill_version, "");
    EXPECT_TRUE(old->attempts.empty() && !old->next_attempt_at_ms && !old->collected);
    auto waiting = *run_task(context_, stores->executions().find(tenant, numbered<execution_id>(2)));
    waiting.attempts = {attempt(1)};
    waiting.next_attempt_at_ms = 5'000;
    waiting.output = shared_bytes("1");
    ASSERT_TRUE(run_task(context_, stores->executions().update(waiting)).has_value());
    EXPECT_EQ(text_of(*run_task(context_, stores->executions().find(tenant, waiting.id))), text_of(waiting));
    ASSERT_TRUE(run_task(context_, stores->executions().insert(full_execution(3), {})).has_value());
    execution_filter wanted;
    wanted.skill = "word-counter";
    EXPECT_EQ(run_task(context_, stores->executions().list(tenant, wanted))->size(), 1u);
}

TEST_F(RecordsOfSchema1, AsSchema8GetAllowedImages)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(8);
        sqlite::migrate(db, schema, migrate_policy::apply);
    }
    auto stores = storage::open(dir_.path());
    const auto tenant = numbered<tenant_id>(1);
    EXPECT_TRUE(run_task(context_, stores->allowed_images().list())->empty());
    EXPECT_TRUE(run_task(context_, stores->allowed_images().add({"own:1", tenant, "acme", 5}, 10)).value());
    EXPECT_EQ(run_task(context_, stores->allowed_images().list())->front().tenant_name, "acme");
    EXPECT_EQ(run_task(context_, stores->executions().find(tenant, numbered<execution_id>(1)))->image_digest, "");
}

TEST_F(RecordsOfSchema1, AsSchema10HaveTheirEndsCountedAndGetThreads)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(10);
        sqlite::migrate(db, schema, migrate_policy::apply);
    }
    auto stores = storage::open(dir_.path());
    const auto tenant = numbered<tenant_id>(1);
    const auto ended = *run_task(context_, stores->executions().totals(tenant));
    EXPECT_EQ(ended.all.success, 1);
    EXPECT_EQ(
        ended.all.total, connection(dir_ / "records.db", open_mode::read_only)
                             .integer("SELECT count(*) FROM executions WHERE status NOT IN ('queued', 'running') AND tenant_id LIKE '%1'"));
    EXPECT_TRUE(run_task(context_, stores->threads().list_threads(tenant, thread_name(), 10))->empty());
}

TEST_F(RecordsOfSchema1, AsSchema14HaveWhatTheyKeepSummed)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(14);
        sqlite::migrate(db, schema, migrate_policy::apply);
        db.execute("UPDATE executions SET usage = '{\"output_bytes\":5000}', limits = '{\"max_output_bytes\":3000}'");
    }
    auto stores = storage::open(dir_.path());
    const auto sums = *run_task(context_, stores->executions().kept_bytes());
    connection db(dir_ / "records.db", open_mode::read_only);
    ASSERT_FALSE(sums.empty());
    EXPECT_EQ(sums.front().second, db.integer("SELECT sum(kept_bytes) FROM executions WHERE tenant_id LIKE '%1'"));
    EXPECT_EQ(db.integer("SELECT count(*) FROM executions WHERE (kept_bytes > 0) <> (status NOT IN ('queued', 'running'))"), 0);
    const auto most = db.integer("SELECT max(kept_bytes) FROM executions");
    EXPECT_GT(most, 4'000) << "with as much output as was kept";
    EXPECT_LT(most, 6'000);
}

TEST_F(RecordsOfSchema1, AsSchema6GetArtifactsAndTheirFileBesideTheirRows)
{
    {
        connection db(dir_ / "records.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(6);
        sqlite::migrate(db, schema, migrate_policy::apply);
    }
    ASSERT_FALSE(std::filesystem::exists(dir_ / "content.db"));
    auto stores = storage::open(dir_.path());
    EXPECT_TRUE(std::filesystem::exists(dir_ / "content.db"));
    const auto tenant = numbered<tenant_id>(1);
    const auto old = numbered<execution_id>(2);
    auto ended = full_execution(2);
    ASSERT_TRUE(run_task(context_, stores->executions().finish({ended, {artifact(2, "a", 1)}})).has_value());
    EXPECT_EQ(run_task(context_, stores->artifacts().list(tenant, old, "", 10))->size(), 1u);
    EXPECT_EQ(run_task(context_, stores->executions().list(tenant, {}))->size(), 2u);
}

/// Whole chunks were rows, and chunks were recognised by their digests.
TEST_F(RecordsOfSchema1, HaveContentsOfSchema1ThatStayAsTheyAre)
{
    const auto tenant = numbered<tenant_id>(1);
    const auto id = numbered<content_id>(1);
    const auto whole = noise(sqlite::chunk_bytes, 1);
    const auto hasher = make_sha256_hasher();
    hasher->add(whole);
    const auto digest = hasher->finish();
    write_file(dir_ / "content.db", "");
    {
        connection db(dir_ / "content.db", open_mode::read_write, 16'384);
        auto schema = sqlite::content_schema;
        schema.migrations = schema.migrations.first(1);
        sqlite::migrate(db, schema, migrate_policy::apply);
        db.prepare("INSERT INTO contents VALUES (?, ?, 2, ?, ?, 1)").bind(id, tenant, sqlite::borrowed_blob{digest}, whole.size()).run();
        db.prepare("INSERT INTO chunks VALUES (1, ?, ?, ?, 1)").bind(tenant, sqlite::borrowed_blob{digest}, whole.size()).run();
        db.prepare("INSERT INTO chunk_bytes VALUES (1, ?)").bind(sqlite::borrowed_blob{whole}).run();
        db.prepare("INSERT INTO pieces VALUES (?, 0, 1)").bind(id).run();
    }
    {
        auto stores = storage::open(dir_.path(), {.make_hasher = &make_sha256_hasher});
        EXPECT_EQ(*run_task(context_, read_all(&stores->contents(), tenant, id)) == whole, true);
        const auto same = *run_task(context_, write_all(stores->contents().create(tenant), whole));
        EXPECT_EQ(*run_task(context_, read_all(&stores->contents(), tenant, same.id)) == whole, true);
        ASSERT_TRUE(run_task(context_, stores->contents().erase(tenant, {id})).has_value());
        EXPECT_EQ(*run_task(context_, read_all(&stores->contents(), tenant, same.id)) == whole, true);
    }
    const auto report = inspect(dir_.path(), [](const std::string&) { }, &make_sha256_hasher);
    for (const auto& each : report.findings)
        EXPECT_TRUE(each.weight == finding_weight::note || !each.file.starts_with("content.db")) << each.what;
}

TEST_F(RecordsOfSchema1, AreTheSchemaThatTheFirstMigrationMakes)
{
    write_file(dir_ / "one.db", "");
    {
        connection db(dir_ / "one.db", open_mode::read_write);
        auto schema = sqlite::records_schema;
        schema.migrations = schema.migrations.first(1);
        sqlite::migrate(db, schema, migrate_policy::apply);
    }
    EXPECT_EQ(shape_of(dir_ / "records.db"), shape_of(dir_ / "one.db"));
}

}    // namespace

}    // namespace caisson::testing
