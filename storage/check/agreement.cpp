#include "storage/check/agreement.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/transaction.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace caisson::sqlite {

namespace {

constexpr std::size_t most_ids = 20;
/// A removal has its steps in two files; a server takes a moment between them.
constexpr std::chrono::milliseconds between_looks{500};
constexpr int looks_at_change = 3;

struct rule {
    std::string_view sql;
    finding_weight weight;
    const char* file;
    const char* what;    // behind an id
    const char* remedy;
};

constexpr const char* remove_it = "remove it with `caisson rm`, or restore a backup";
constexpr const char* at_next_start = "the next start of the server deals with it";

constexpr rule rules[] = {
    {sql::check::ended_without_exit, finding_weight::disagreement, "events.db", "has ended, but its log has no end", remove_it},
    {sql::check::hole_in_log, finding_weight::disagreement, "events.db", "has a log with a hole or a repeat", remove_it},
    {sql::check::log_in_both_files, finding_weight::disagreement, "events.db", "has a log here and another one with its record", remove_it},
    {sql::check::cut_beyond_log, finding_weight::disagreement, "events.db", "has a log that is cut behind its end", remove_it},
    {sql::check::log_without_record, finding_weight::disagreement, "events.db", "has a log and no record", "restore a backup"},
    {sql::check::unfinished_without_spec, finding_weight::disagreement, "records.db", "has not ended, and what to run is not stored",
        "restore a backup"},
    {sql::check::label_without_record, finding_weight::disagreement, "records.db", "has labels and no record", "restore a backup"},
    {sql::check::idempotency_miscounted, finding_weight::disagreement, "records.db",
        "has another number of idempotency keys than is stored", "restore a backup"},
    {sql::check::artifact_without_content, finding_weight::disagreement, "content.db", "has an artifact without its content", remove_it},
    {sql::check::artifact_unlike_content, finding_weight::disagreement, "content.db", "has an artifact that is not its content", remove_it},
    {sql::check::artifact_without_record, finding_weight::disagreement, "records.db", "has artifacts and no record", "restore a backup"},
    {sql::check::artifacts_miscounted, finding_weight::disagreement, "records.db", "has other artifacts than are counted",
        "restore a backup"},
    {sql::check::executions_miscounted, finding_weight::disagreement, "records.db", "has ended executions of another size than is counted",
        "restore a backup"},
    {sql::check::package_without_content, finding_weight::disagreement, "content.db", "is a skill without its package",
        "remove that version of the skill, or restore a backup"},
    {sql::check::content_incomplete, finding_weight::disagreement, "content.db", "lacks a piece, or has one too many", "restore a backup"},
    {sql::check::chunk_miscounted, finding_weight::disagreement, "content.db", "is used another number of times than is counted",
        "restore a backup"},
    {sql::check::chunk_without_bytes, finding_weight::disagreement, "content.db", "has another number of bytes than is noted",
        "restore a backup"},
    {sql::check::stored_miscounted, finding_weight::disagreement, "content.db", "has chunks of another size than is counted",
        "restore a backup"},
    {sql::check::checkpoint_without_state, finding_weight::disagreement, "records.db", "is a checkpoint without its thread or state",
        "restore a backup"},
    {sql::check::checkpoint_without_parent, finding_weight::disagreement, "records.db", "has a parent that is not before it",
        "restore a backup"},
    {sql::check::state_miscounted, finding_weight::disagreement, "records.db", "is used another number of times than is counted",
        "restore a backup"},
    {sql::check::thread_miscounted, finding_weight::disagreement, "records.db", "is a thread with other checkpoints than are counted",
        "restore a backup"},
    {sql::check::threads_miscounted, finding_weight::disagreement, "records.db", "has other threads than are counted", "restore a backup"},
    {sql::check::content_without_record, finding_weight::note, "content.db", "is a content that no record names",
        "the server removes it an hour after it was written"},
    {sql::check::unfinished_without_sandbox, finding_weight::note, "records.db", "runs in a sandbox without a record", at_next_start},
    {sql::check::sandbox_without_execution, finding_weight::note, "records.db", "is a sandbox without an execution",
        "the server's next sweep removes it"},
    {sql::check::truncation_unlike_log, finding_weight::note, "records.db", "has another mark of truncation than its log", ""},
    {sql::check::output_unlike_log, finding_weight::note, "records.db", "counts another number of output bytes than its log", ""},
    {sql::check::spec_of_ended, finding_weight::note, "records.db", "has ended, and what it ran is still stored", ""},
};

using ids = std::set<std::string>;

ids ids_of(connection& db, std::string_view sql)
{
    ids found;
    auto query = db.prepare(sql);
    while (query.step())
        found.emplace(query.view(0));
    return found;
}

std::vector<ids> look(connection& db)
{
    const transaction one_state(db, transaction_kind::read);
    std::vector<ids> found;
    for (const auto& each : rules)
        found.push_back(ids_of(db, each.sql));
    return found;
}

void keep_common(std::vector<ids>& first, const std::vector<ids>& second)
{
    for (std::size_t i = 0; i < first.size(); ++i)
        std::erase_if(first[i], [&](const auto& id) { return !second[i].contains(id); });
}

bool finds_something(const std::vector<ids>& found)
{
    return std::ranges::any_of(found, [](const auto& each) { return !each.empty(); });
}

void add_findings(std::vector<storage_finding>& to, const rule& from, const ids& found)
{
    std::size_t count = 0;
    for (const auto& id : found) {
        if (++count > most_ids)
            break;
        to.push_back({from.weight, from.file, id + " " + from.what, from.remedy});
    }
    if (found.size() > most_ids)
        to.push_back({from.weight, from.file, std::to_string(found.size() - most_ids) + " others: " + from.what, from.remedy});
}

}    // namespace

std::vector<storage_finding> disagreements(const std::filesystem::path& data_dir, const file_modes& modes, bool changing)
{
    connection db(data_dir / "records.db", modes.records);
    db.attach(data_dir / "events.db", "ev", modes.events);
    db.attach(data_dir / "content.db", "ct", modes.content);
    auto found = look(db);
    for (int i = 1; changing && i < looks_at_change && finds_something(found); ++i) {
        std::this_thread::sleep_for(between_looks);
        keep_common(found, look(db));
    }
    std::vector<storage_finding> findings;
    for (std::size_t i = 0; i < found.size(); ++i)
        add_findings(findings, rules[i], found[i]);
    return findings;
}

std::vector<std::string> ended_without_exit(const std::filesystem::path& records, const std::filesystem::path& events, open_mode mode)
{
    connection db(records, mode);
    db.attach(events, "ev", mode);
    const bool has_logs = db.integer("SELECT count(*) FROM main.sqlite_schema WHERE name = 'logs'") > 0;    // none of an earlier version
    const auto found = ids_of(db, has_logs ? sql::check::ended_without_exit : sql::check::ended_without_exit_in_events);
    return {found.begin(), found.end()};
}

}    // namespace caisson::sqlite
