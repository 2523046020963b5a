#include "tests/storage/thread_fixture.hpp"

#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/transaction.hpp"
#include "storage/stores/thread_retention.hpp"
#include "tests/storage/artifact_rows.hpp"
#include "tests/storage/execution_rows.hpp"

#include <random>

namespace caisson::testing {

namespace {

checkpoint_id id_of(const char* text) { return checkpoint_id::from_trusted(text); }

class ThreadStore : public ThreadStoreTest { };

TEST_F(ThreadStore, KeepsWhatWasSaved)
{
    ASSERT_TRUE(run(storage_->executions().insert(execution(1), {})).has_value());
    ASSERT_TRUE(run(storage_->executions().finish({full_execution(1), {artifact(1, "out/\"a\".txt", 1)}})).has_value());
    auto one = draft("t", "a", R"({"n":1})");
    one.row.metadata = {7, "node", {"x", "y z"}, R"({"k":"v"})"};
    one.row.references = {numbered<execution_id>(1), {{numbered<execution_id>(1), "out/\"a\".txt"}}, ""};
    one.row.pinned = true;
    ASSERT_TRUE(try_save(one).has_value());
    const auto found = *run(store().find(tenant_, thread_name("t"), std::nullopt, true));
    EXPECT_EQ(found.state.view(), R"({"n":1})");
    EXPECT_EQ(found.row.id.str(), "a");
    EXPECT_EQ(found.row.position, 1);
    EXPECT_EQ(found.row.parent, std::nullopt);
    EXPECT_EQ(found.row.metadata, one.row.metadata);
    EXPECT_EQ(found.row.references, one.row.references);
    EXPECT_EQ(found.row.state.digest, one.row.state.digest);
    EXPECT_EQ(found.row.state.size_bytes, 7);
    EXPECT_EQ(found.row.state.media_type, "application/json");
    EXPECT_TRUE(found.row.pinned);
    EXPECT_EQ(found.row.created_at_ms, 1'000);
}

TEST_F(ThreadStore, AppendsToTheLatest)
{
    save("t", "a");
    save("t", "b");
    save("t", "c");
    EXPECT_EQ(chain("t"), "a b<a c<b");
    const auto thread = *run(store().find_thread(tenant_, thread_name("t")));
    EXPECT_EQ(thread.checkpoints, 3);
    EXPECT_EQ(thread.latest, id_of("c"));
}

TEST_F(ThreadStore, ARepeatIsTheFirstOneAndAnotherContentIsRefused)
{
    save("t", "a", "1");
    save("t", "b", "2");
    auto again = try_save(draft("t", "a", "1"));
    EXPECT_EQ(again->outcome, save_outcome::repeated);
    EXPECT_EQ(again->row.position, 1);
    EXPECT_EQ(code_of(try_save(draft("t", "a", "3"))), errc::conflict);
    auto tagged = draft("t", "a", "1");
    tagged.row.metadata.tags = {"x"};
    EXPECT_EQ(code_of(try_save(tagged)), errc::conflict);
    EXPECT_EQ(chain("t"), "a b<a");
    EXPECT_EQ(usage().states, 2);
}

TEST_F(ThreadStore, IfLatestSaysTheCurrentOne)
{
    auto first = draft("t", "a", "1");
    first.request.if_latest = expected_latest{id_of("z")};
    auto none = try_save(first);
    EXPECT_EQ(none->outcome, save_outcome::superseded);
    EXPECT_TRUE(none->row.id.empty());
    EXPECT_EQ(code_of(run(store().find_thread(tenant_, thread_name("t")))), errc::not_found);
    first.request.if_latest = expected_latest{};
    EXPECT_EQ(try_save(first)->outcome, save_outcome::appended);
    auto second = draft("t", "b", "2");
    second.request.if_latest = expected_latest{};
    auto refused = try_save(second);
    EXPECT_EQ(refused->outcome, save_outcome::superseded);
    EXPECT_EQ(refused->row.id.str(), "a");
    EXPECT_EQ(chain("t"), "a");
}

TEST_F(ThreadStore, ParentsAreOfTheThread)
{
    save("t", "a");
    save("t", "b");
    save("other", "x");
    auto sibling = draft("t", "c", "3");
    sibling.request.parent = id_of("a");
    ASSERT_TRUE(try_save(sibling).has_value());
    EXPECT_EQ(chain("t"), "a b<a c<a");
    auto foreign = draft("t", "d", "4");
    foreign.request.parent = id_of("x");
    EXPECT_EQ(code_of(try_save(foreign)), errc::bad_request);
}

TEST_F(ThreadStore, ReferencesHaveToBeThere)
{
    auto one = draft("t", "a", "1");
    one.row.references.execution = numbered<execution_id>(1);
    const auto refused = try_save(one);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().fields.at(0).field, "execution_id");
    one.row.references = {std::nullopt, {{numbered<execution_id>(1), "f"}}, ""};
    EXPECT_EQ(try_save(one).error().fields.at(0).field, "artifacts[0]");
    EXPECT_EQ(code_of(run(store().find_thread(tenant_, thread_name("t")))), errc::not_found);
    EXPECT_EQ(usage().states, 0);
}

TEST_F(ThreadStore, FilesThatACheckpointNamesOutliveTheirTime)
{
    auto file = artifact(1, "kept", 1);
    file.expires_at_ms = 10;
    auto loose = artifact(1, "loose", 2);
    loose.expires_at_ms = 10;
    ASSERT_TRUE(run(storage_->executions().insert(execution(1), {})).has_value());
    ASSERT_TRUE(run(storage_->executions().finish({full_execution(1), {file, loose}})).has_value());
    auto one = draft("t", "a", "1");
    one.row.references.artifacts = {{numbered<execution_id>(1), "kept"}};
    ASSERT_TRUE(try_save(one).has_value());
    EXPECT_EQ(run(storage_->artifacts().erase_expired(1'000, 10))->size(), 1u);
    EXPECT_EQ(run(storage_->artifacts().erase_beyond(tenant_, 0, 10))->size(), 0u);
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), id_of("a"), 2'000)).has_value());
    EXPECT_EQ(run(storage_->artifacts().erase_expired(1'000, 10))->size(), 1u);
}

TEST_F(ThreadStore, TenantsSeeTheirOwn)
{
    save("t", "a");
    EXPECT_EQ(code_of(run(store().find(other_, thread_name("t"), id_of("a"), true))), errc::not_found);
    EXPECT_EQ(code_of(run(store().find(other_, thread_name("t"), std::nullopt, true))), errc::not_found);
    EXPECT_EQ(code_of(run(store().list(other_, thread_name("t"), {}))), errc::not_found);
    EXPECT_EQ(code_of(run(store().erase(other_, thread_name("t"), id_of("a"), 1))), errc::not_found);
    EXPECT_EQ(code_of(run(store().pin(other_, thread_name("t"), id_of("a"), true))), errc::not_found);
    EXPECT_EQ(code_of(run(store().find_thread(other_, thread_name("t")))), errc::not_found);
    EXPECT_EQ(run(store().erase_thread(other_, thread_name("t"))).value(), false);
    EXPECT_EQ(code_of(run(store().roll_back_by_removal(other_, thread_name("t"), id_of("a"), 1))), errc::not_found);
    EXPECT_EQ(code_of(run(store().branch(other_, thread_name("t"), {}, thread_name("u"), id_of("b"), 1, bounds_))), errc::not_found);
    EXPECT_TRUE(run(store().list_threads(other_, thread_name(), 10))->empty());
    EXPECT_FALSE(run(store().base_of(other_, thread_name("t")))->has_value());
    EXPECT_EQ(run(store().usage(other_))->checkpoints, 0);
    EXPECT_EQ(chain("t"), "a");
}

TEST_F(ThreadStore, ARemovedOneLeavesItsChildrenToItsParent)
{
    for (const auto* id : {"a", "b", "c", "d"})
        save("t", id);
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), id_of("b"), 1)).has_value());
    EXPECT_EQ(chain("t"), "a c<a+1 d<c");
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), id_of("a"), 1)).has_value());
    EXPECT_EQ(chain("t"), "c<+2 d<c");
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), id_of("d"), 1)).has_value());
    EXPECT_EQ(code_of(run(store().erase(tenant_, thread_name("t"), id_of("d"), 1))), errc::not_found);
    save("t", "e");
    EXPECT_EQ(chain("t"), "c<+2 e<c");
    expect_sound();
}

TEST_F(ThreadStore, ARemovedThreadIsGoneAtOnceAndItsRowsLater)
{
    for (int i = 0; i < 200; ++i)
        save("t", "", std::to_string(i));
    policy_.max_checkpoints = 300;
    EXPECT_TRUE(run(store().erase_thread(tenant_, thread_name("t"))).value());
    EXPECT_FALSE(run(store().erase_thread(tenant_, thread_name("t"))).value());
    EXPECT_EQ(chain("t"), "none");
    save("t", "a");
    EXPECT_EQ(chain("t"), "a");
    EXPECT_TRUE(run(store().erase_thread(tenant_, thread_name("t"))).value());
    wait_until_erased();
    EXPECT_EQ(usage().bytes, 0);
    EXPECT_EQ(usage().states, 0);
    expect_sound();
}

TEST_F(ThreadStore, GoesBackByACopy)
{
    for (const auto* id : {"a", "b", "c"})
        save("t", id, std::string("\"") + id + "\"");
    const auto row = *run(store().roll_back_by_copy(tenant_, thread_name("t"), id_of("a"), id_of("d"), 2'000, bounds_));
    EXPECT_EQ(row.rollback_of, id_of("a"));
    EXPECT_EQ(chain("t"), "a b<a c<b d<a");
    EXPECT_EQ(state_of("t", "d"), "\"a\"");
    EXPECT_EQ(usage().states, 3);
    save("t", "e");
    EXPECT_EQ(chain("t"), "a b<a c<b d<a e<d");
    EXPECT_EQ(code_of(run(store().roll_back_by_copy(tenant_, thread_name("t"), id_of("z"), id_of("y"), 1, bounds_))), errc::not_found);
}

TEST_F(ThreadStore, GoesBackByRemoval)
{
    for (const auto* id : {"a", "b", "c", "d"})
        save("t", id, std::string("\"") + id + "\"");
    ASSERT_TRUE(run(store().pin(tenant_, thread_name("t"), id_of("d"), true)).has_value());
    EXPECT_EQ(code_of(run(store().roll_back_by_removal(tenant_, thread_name("t"), id_of("b"), 2'000))), errc::conflict);
    EXPECT_EQ(chain("t"), "a b<a c<b d<c");
    ASSERT_TRUE(run(store().pin(tenant_, thread_name("t"), id_of("d"), false)).has_value());
    const auto done = *run(store().roll_back_by_removal(tenant_, thread_name("t"), id_of("b"), 2'000));
    EXPECT_EQ(done.removed, 2);
    EXPECT_EQ(done.latest.id.str(), "b");
    EXPECT_EQ(chain("t"), "a b<a");
    EXPECT_EQ(usage().states, 2);
    EXPECT_EQ(save("t", "e").position, 5);
    expect_sound();
}

TEST_F(ThreadStore, GoingBackByRemovalTellsOfWhatRanOutWithIt)
{
    policy_.ttl_ms = 100;
    now_ms_ = 1'000;
    save("t", "a");
    now_ms_ = 1'090;
    save("t", "b");
    save("t", "c");
    const auto done = *run(store().roll_back_by_removal(tenant_, thread_name("t"), id_of("b"), 1'100));
    EXPECT_EQ(chain("t"), "b<+1");
    EXPECT_EQ(done.latest.parent, std::nullopt);
    EXPECT_EQ(done.latest.gap, 1);
}

/// Which goes in steps, the oldest first.
TEST_F(ThreadStore, ARemovalThatIsUnderWayIsSound)
{
    for (int i = 0; i < 70; ++i)
        save("t", "", std::to_string(i));
    storage_.reset();
    {
        sqlite::connection db(dir_ / "data" / "records.db", sqlite::open_mode::read_write);
        sqlite::transaction all(db, sqlite::transaction_kind::write);
        ASSERT_TRUE(sqlite::take_name(db, tenant_, thread_name("t")));
        ASSERT_TRUE(sqlite::erase_some_checkpoints(db));
        all.commit();
        ASSERT_GT(db.integer("SELECT count(*) FROM checkpoints"), 0);
        db.tidy_up_on_close();
    }
    expect_sound();
}

TEST_F(ThreadStore, BranchesShareTheState)
{
    save("t", "a", "\"a\"");
    save("t", "b", "\"b\"");
    const auto made = *run(store().branch(tenant_, thread_name("t"), id_of("a"), thread_name("u"), id_of("x"), 2'000, bounds_));
    EXPECT_EQ(made.branched_from, (checkpoint_place{thread_name("t"), id_of("a")}));
    EXPECT_EQ(made.checkpoints, 1);
    EXPECT_EQ(chain("u"), "x");
    EXPECT_EQ(state_of("u", "x"), "\"a\"");
    EXPECT_EQ(usage().states, 2);
    EXPECT_EQ(code_of(run(store().branch(tenant_, thread_name("t"), {}, thread_name("u"), id_of("y"), 1, bounds_))), errc::conflict);
    EXPECT_EQ(
        code_of(run(store().branch(tenant_, thread_name("t"), id_of("z"), thread_name("v"), id_of("y"), 1, bounds_))), errc::not_found);
    EXPECT_TRUE(run(store().erase_thread(tenant_, thread_name("t"))).value());
    EXPECT_EQ(state_of("u", "x"), "\"a\"");
}

TEST_F(ThreadStore, AFullTenantLosesNothing)
{
    policy_.max_checkpoints = 2;
    save("t", "a", "1");
    save("t", "b", "2");
    bounds_.max_bytes = usage().bytes + 100;
    std::mt19937 random(1);
    std::string large;
    while (large.size() < 3'000)
        large += static_cast<char>('a' + random() % 26);
    const auto refused = try_save(draft("t", "c", "\"" + large + "\""));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::quota_exceeded);
    EXPECT_EQ(refused.error().facts->limit, "threads.max_bytes_per_tenant");
    EXPECT_EQ(chain("t"), "a b<a");
    save("t", "c", "3");    // as much comes as goes
    EXPECT_EQ(chain("t"), "b<+1 c<b");
    bounds_.max_threads = 1;
    EXPECT_EQ(code_of(try_save(draft("u", "a", "3"))), errc::quota_exceeded);
    expect_sound();
}

TEST_F(ThreadStore, TimesOfAThreadNeverGoBack)
{
    save("t", "a");
    now_ms_ = 500;
    EXPECT_EQ(save("t", "b").created_at_ms, 1'000);
}

TEST_F(ThreadStore, AnImportIsNotThereBeforeItsEnd)
{
    const auto key = *run(store().begin_import(tenant_, 1'000, bounds_));
    auto first = draft("u", "a", "1");
    first.row.position = 3;
    auto second = draft("u", "b", "2");
    second.row.position = 5;
    second.row.parent = id_of("a");
    second.row.gap = 1;
    ASSERT_TRUE(run(store().add_imported(key, {first, second}, bounds_)).has_value());
    auto lost = draft("u", "c", "3");
    lost.row.position = 6;
    lost.row.parent = id_of("z");
    EXPECT_EQ(code_of(run(store().add_imported(key, {lost}, bounds_))), errc::bad_request);
    EXPECT_EQ(chain("u"), "none");
    ASSERT_TRUE(run(store().finish_import(key, thread_name("u"), {}, 2'000)).has_value());
    EXPECT_EQ(chain("u"), "a b<a+1");
    EXPECT_EQ(save("u", "c").position, 6);
    const auto again = *run(store().begin_import(tenant_, 1'000, bounds_));
    EXPECT_EQ(code_of(run(store().finish_import(again, thread_name("u"), {}, 2'000))), errc::conflict);
    ASSERT_TRUE(run(store().drop_import(again)).has_value());
    expect_sound();
}

TEST_F(ThreadStore, AnImportThatWasCutOffIsRemovedByTheNextStart)
{
    const auto key = *run(store().begin_import(tenant_, 1'000, bounds_));
    auto first = draft("u", "a", "1");
    first.row.position = 1;
    ASSERT_TRUE(run(store().add_imported(key, {first}, bounds_)).has_value());
    storage_.reset();
    storage_ = storage::open(dir_ / "data");
    wait_until_erased();
    EXPECT_EQ(usage().bytes, 0);
}

struct state_damage_case {
    const char* name;
    const char* sql;
    const char* says;
};
class DamagedState : public ThreadStoreTest, public ::testing::WithParamInterface<state_damage_case> { };

TEST_P(DamagedState, IsFoundByADeepInspectionOnly)
{
    save("t", "a", R"({"a":1})");
    save("t", "b", R"({"b":2})");
    expect_sound();
    storage_.reset();
    {
        sqlite::connection db(dir_ / "data" / "records.db", sqlite::open_mode::read_write);
        db.execute(GetParam().sql);
        ASSERT_EQ(db.changes(), 1);
        db.tidy_up_on_close();
    }
    EXPECT_TRUE(inspect(dir_ / "data", [](const std::string&) { }).is_clean());
    const auto report = inspect(dir_ / "data", [](const std::string&) { }, &make_sha256_hasher);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].weight, finding_weight::damage);
    EXPECT_EQ(report.findings[0].file, "records.db");
    EXPECT_NE(report.findings[0].what.find(GetParam().says), std::string::npos) << report.findings[0].what;
}

constexpr state_damage_case state_damages[] = {
    {"flipped", "UPDATE state_texts SET packed = zeroblob(length(packed)) WHERE state_key = 1", "state 1 of tenant ten_"},
    {"cut", "UPDATE state_texts SET packed = x'' WHERE state_key = 2", "cannot be unpacked"},
    {"another_length", "UPDATE states SET size_bytes = 6 WHERE key = 1", "cannot be unpacked"},
    {"of_another", "UPDATE state_texts SET packed = (SELECT packed FROM state_texts WHERE state_key = 2) WHERE state_key = 1",
        "is not what was written"},
};
INSTANTIATE_TEST_SUITE_P(
    Damages, DamagedState, ::testing::ValuesIn(state_damages), [](const auto& info) { return std::string(info.param.name); });

TEST_F(ThreadStore, ThreadsAreListedByName)
{
    for (const auto* name : {"b", "a", "c"})
        save(name, "");
    auto page = *run(store().list_threads(tenant_, thread_name("a"), 10));
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].name.str(), "b");
    EXPECT_EQ(page[1].name.str(), "c");
}

/// What is added and what goes is counted by the same measure, which is the check's own.
TEST_F(ThreadStore, TextsOfAnyKindAreCountedAsTheyAre)
{
    const std::vector<std::string> texts{"plain", "d\u00e9j\u00e0 vu", "\u65e5\u672c\u8a9e", "\U0001f600", std::string("a\0b", 3)};
    for (const auto& text : texts) {
        auto one = draft("t", "", "{\"n\":" + std::to_string(made_) + "}");
        one.row.metadata.tags = {text, "second"};
        one.row.metadata.custom = "{\"" + (text.size() == 3 ? std::string("nul") : text) + "\":1}";
        ASSERT_TRUE(try_save(std::move(one)).has_value());
    }
    expect_sound();
    policy_.max_checkpoints = 2;
    ASSERT_TRUE(run(store().set_policy(tenant_, thread_name("t"), policy_, now_ms_, bounds_)).has_value());
    EXPECT_EQ(usage().checkpoints, 2);
    expect_sound();
    ASSERT_TRUE(*run(store().erase_thread(tenant_, thread_name("t"))));
    wait_until_erased();
    EXPECT_EQ(usage(), thread_usage());
    expect_sound();
}

}    // namespace

}    // namespace caisson::testing
