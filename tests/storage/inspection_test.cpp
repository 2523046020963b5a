#include "storage/check/inspection.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"
#include "tests/storage/loaded_directory.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

using ::testing::HasSubstr;

struct wrong_case {
    std::string name;
    std::string file;
    std::string sql;
    std::string says;
};

void PrintTo(const wrong_case& one, std::ostream* out) { *out << one.name; }

class Inspection : public ::testing::TestWithParam<wrong_case> { };

TEST_P(Inspection, FindsWhatIsWrong)
{
    const LoadedDirectory data;
    ASSERT_TRUE(inspect(data.path(), [](const std::string&) { }).is_clean());
    {
        sqlite::connection db(data.path() / GetParam().file, sqlite::open_mode::read_write);
        db.execute("PRAGMA foreign_keys = OFF; " + GetParam().sql);
        ASSERT_GT(db.changes(), 0);
        db.tidy_up_on_close();
    }
    const auto before = contents_of(data.path());
    const auto report = inspect(data.path(), [](const std::string&) { });
    EXPECT_FALSE(report.is_clean());
    std::string all;
    for (const auto& each : report.findings)
        all += each.file + ": " + each.what + "\n";
    EXPECT_THAT(all, HasSubstr(GetParam().says));
    EXPECT_EQ(contents_of(data.path()) == before, true) << "the directory was changed";
}

const wrong_case wrongs[] = {
    {"no_end", "events.db", "DELETE FROM events WHERE kind = 5", "has ended, but its log has no end"},
    {"no_end_with_the_record", "records.db", "DELETE FROM events WHERE kind = 5", "has ended, but its log has no end"},
    {"a_hole_with_the_record", "records.db", "DELETE FROM events WHERE kind = 2", "a hole or a repeat"},
    {"a_log_with_no_record", "records.db", "DELETE FROM executions WHERE id IN (SELECT execution_id FROM logs)", "has a log and no record"},
    {"a_hole", "events.db", "DELETE FROM events WHERE key IN (SELECT key FROM events WHERE kind = 2 LIMIT 1)", "a hole or a repeat"},
    {"a_log_in_both_files", "events.db", "INSERT INTO logs (execution_id) VALUES ('exe_' || printf('%026d', 7))",
        "has a log here and another one with its record"},
    {"short_data", "events.db", "UPDATE events SET data = x'00' WHERE length = 3000", "a hole or a repeat"},
    {"cut_behind_the_end", "events.db", "UPDATE cuts SET offset = 1000000", "cut behind its end"},
    {"no_record", "records.db", "DELETE FROM executions WHERE id LIKE '%2'", "has a log and no record"},
    {"labels_of_nothing", "records.db",
        "DELETE FROM execution_specs WHERE execution_id LIKE '%5'; DELETE FROM executions WHERE id LIKE '%5'", "has labels and no record"},
    {"nothing_to_run", "records.db", "DELETE FROM execution_specs", "what to run is not stored"},
    {"no_body", "records.db", "UPDATE execution_specs SET has_body = 1", "what to run is not stored"},
    {"a_short_body", "records.db",
        "INSERT INTO spec_bodies SELECT 1, execution_id, 5 FROM execution_specs LIMIT 1; "
        "INSERT INTO spec_pieces VALUES (1, 1, 0, x'00'); UPDATE execution_specs SET has_body = 1",
        "what to run is not stored"},
    {"a_key_of_nobody", "records.db", "DELETE FROM tenants", "a row refers to nothing, in table api_keys"},
    {"events_of_no_log", "events.db", "DELETE FROM logs WHERE execution_id LIKE '%2'", "a row refers to nothing, in table "},
    {"miscounted_keys", "records.db",
        "INSERT INTO idempotency_keys VALUES ('t', 'r', 'k', 'f', 'e', 1, 2); UPDATE idempotency_counts SET keys = 7",
        "another number of idempotency keys"},
    {"no_content", "content.db", "UPDATE contents SET state = 3", "has an artifact without its content"},
    {"another_content", "content.db", "UPDATE contents SET sha256 = x'00'", "an artifact that is not its content"},
    {"artifacts_of_nothing", "records.db", "UPDATE artifacts SET execution_id = 'exe_x' WHERE path = 'b'", "has artifacts and no record"},
    {"miscounted_artifacts", "records.db", "UPDATE artifact_totals SET bytes = 1", "has other artifacts than are counted"},
    {"miscounted_executions", "records.db", "UPDATE execution_totals SET kept_bytes = kept_bytes + 1 WHERE part = ''",
        "has ended executions of another size than is counted"},
    {"a_piece_is_gone", "content.db", "DELETE FROM pieces WHERE number = 0", "lacks a piece"},
    {"a_piece_beyond_its_pack", "content.db", "UPDATE pieces SET first_byte = 262000 WHERE first_byte = 13000", "lacks a piece"},
    {"a_piece_of_another_size", "content.db", "UPDATE pieces SET size_bytes = size_bytes - 1 WHERE first_byte = 13000", "lacks a piece"},
    {"miscounted_uses", "content.db", "UPDATE chunks SET uses = uses + 1", "is used another number of times"},
    {"short_chunks", "content.db", "UPDATE chunk_bytes SET data = x'00'", "has another number of bytes than is noted"},
    {"miscounted_storage", "content.db", "UPDATE stored_totals SET bytes = 7", "has chunks of another size than is counted"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Inspection, ::testing::ValuesIn(wrongs), [](const auto& info) { return info.param.name; });

TEST(InspectionBesideAServer, WorksAndSaysSo)
{
    const LoadedDirectory data;
    const auto server = storage::open(data.path(), {.readers = 1, .reserve_bytes = 0});
    const auto report = inspect(data.path(), [](const std::string&) { });
    EXPECT_TRUE(report.server_is_running);
    EXPECT_TRUE(report.is_clean());
    EXPECT_THROW(inspect(data.path() / "nowhere", [](const std::string&) { }), storage_error);
}

}    // namespace

}    // namespace caisson::testing
