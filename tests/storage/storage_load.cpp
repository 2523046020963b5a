#include "tests/storage/storage_load.hpp"

#include "storage/content/chunk_file.hpp"

#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/migrator.hpp"
#include "tests/storage/artifact_rows.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/row_digest.hpp"
#include "tests/storage/thread_load.hpp"

namespace caisson::testing {

namespace {

using stored = task<result<void>>;

constexpr int executions_in_load = 6;

template <class T>
task<result<void>> without_value(task<result<T>> work)
{
    const auto got = co_await std::move(work);
    co_return got.has_error() ? result<void>(got.error()) : result<void>();
}

execution_row labelled(int number)
{
    auto row = execution(number);
    row.labels = {{"team", "a"}, {"run", std::to_string(number)}};
    return row;
}

execution_row running(int number)
{
    auto row = labelled(number);
    row.status = execution_status::running;
    row.sandbox = numbered<sandbox_id>(number);
    row.started_at_ms = 2000;
    return row;
}

execution_row final_row(int number)
{
    auto row = running(number);
    row.status = execution_status::success;
    row.verdict = verdict::exited;
    row.exit_code = 0;
    row.finished_at_ms = 3000;
    return row;
}

sandbox_row box(int number)
{
    sandbox_row row;
    row.id = numbered<sandbox_id>(number);
    row.tenant = numbered<tenant_id>(1);
    row.runtime = "mock";
    row.created_at_ms = 1000;
    return row;
}

api_key_row key(int number)
{
    api_key_row row;
    row.id = numbered<key_id>(number);
    row.tenant = numbered<tenant_id>(1);
    row.hash = "hash-" + std::to_string(number);
    row.scopes = {scope::run, scope::read};
    row.created_at_ms = 1;
    return row;
}

/// Gathers calls; the names of its methods are those of the stores'.
class call_list {
public:
    void records(std::string name, std::function<stored(storage&)> run, int group = 0)
    {
        calls_.push_back({std::move(name), database_file::records, std::move(run), group});
    }
    void append(int number, event_list events, std::vector<stream_cut> cuts = {}, int group = 0)
    {
        auto run = [number, events = std::move(events), cuts = std::move(cuts)](
                       storage& to) { return to.events().append(numbered<execution_id>(number), events, cuts); };
        calls_.push_back({"append to " + std::to_string(number), database_file::events, std::move(run), group});
    }
    void erase_events(int number)
    {
        auto run = [number](storage& to) { return to.events().erase(numbered<execution_id>(number)); };
        calls_.push_back({"erase events " + std::to_string(number), database_file::events, std::move(run)});
    }
    void contents(std::string name, std::function<stored(storage&)> run)
    {
        calls_.push_back({std::move(name), database_file::content, std::move(run)});
    }
    std::vector<store_call> take() { return std::move(calls_); }

private:
    std::vector<store_call> calls_;
};

void add_keys(call_list& calls)
{
    calls.records("tenant", [](storage& to) { return without_value(to.keys().ensure_tenant("acme", numbered<tenant_id>(1), 1)); });
    for (int i = 1; i <= 2; ++i)
        calls.records("key", [i](storage& to) { return to.keys().insert_key(key(i)); });
    calls.records("revoke", [](storage& to) { return to.keys().revoke_key(numbered<key_id>(2), 5); });
}

/// Submits of many clients, which share transactions.
void add_submits(call_list& calls)
{
    for (int i = 1; i <= executions_in_load; ++i)
        calls.records("insert", [i](storage& to) { return to.executions().insert(labelled(i), execution_spec()); }, i > 2 ? 1 : 0);
}

void add_start(call_list& calls, std::vector<log_builder>& logs, int i)
{
    calls.append(i, logs[i].control(event_kind::state, R"({"status":"queued"})").take());
    calls.records("sandbox", [i](storage& to) { return to.sandboxes().insert(box(i)); });
    calls.records("place",
        [i](storage& to) { return to.sandboxes().update(numbered<sandbox_id>(i), sandbox_state::running, R"({"pid":77})", "", {}); });
    calls.records("running", [i](storage& to) { return to.executions().update(running(i)); });
}

void add_output(call_list& calls, std::vector<log_builder>& logs)
{
    for (int i = 1; i <= 3; ++i)
        calls.append(i, logs[i].out(noise(100 * i, 7)).err("e").out(noise(3'000, i)).take(), {}, 2);
    calls.append(1, logs[1].out(noise(40'000, 3)).take());
    calls.append(2, logs[2].truncated(output_stream::stdout_stream, 5'000).out("tail").take(),
        {{output_stream::stdout_stream, logs[2].end().stdout_end}});
}

/// A full disk as the other stores say it.
stored as_exception(task<result<content_info>> writing)
{
    const auto written = co_await std::move(writing);
    if (written.has_error())
        throw storage_error(storage_fault::disk_full, written.error().detail);
    co_return result<void>();
}

task<std::vector<owned_content>> all_contents(storage* from)
{
    auto listing = from->contents().list({{}, std::numeric_limits<std::int64_t>::max(), 100});
    auto page = co_await std::move(listing);
    co_return std::move(*page);
}

stored erase_last_content(storage* from)
{
    const auto all = co_await all_contents(from);
    std::vector<content_id> last(1, all.back().content);
    co_return co_await from->contents().erase(all.back().tenant, std::move(last));
}

/// Ends execution `i` with two of the contents, which are others for each.
stored finish_with_files(storage* to, int i)
{
    const auto all = co_await all_contents(to);
    execution_end end{final_row(i), {artifact(i, "a", 0), artifact(i, "b", 0)}};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto info = co_await to->contents().find(numbered<tenant_id>(1), all[2 * (i - 1) + k].content);
        end.artifacts[k].content = info->id;
        end.artifacts[k].sha256 = info->sha256;
        end.artifacts[k].size_bytes = info->size_bytes;
    }
    co_return co_await to->executions().finish(std::move(end));
}

/// The first ones lie alone, the others fill a pack.
stored add_small_contents(storage* to)
{
    const auto batch = to->contents().create_batch(numbered<tenant_id>(2));
    batch->add(shared_bytes());
    for (std::uint32_t i = 1; i < 32; ++i)
        batch->add(shared_bytes(noise(10, i)));
    for (std::uint32_t i = 0; i < 20; ++i)
        batch->add(shared_bytes(noise(13'000, i)));
    const auto stored = co_await batch->commit();
    if (stored.has_error())
        throw storage_error(storage_fault::disk_full, stored.error().detail);
    co_return result<void>();
}

void add_contents(call_list& calls)
{
    const auto store = [&calls](int tenant, std::string bytes) {
        calls.contents("content", [tenant, bytes = std::move(bytes)](storage& to) {
            return as_exception(write_all(to.contents().create(numbered<tenant_id>(tenant)), bytes));
        });
    };
    store(1, "first");
    store(1, chunks_of({1}) + "rest");
    store(1, "third");
    store(1, "first");
    store(2, "third");
    store(2, "to be erased");
}

void add_end(call_list& calls, std::vector<log_builder>& logs, int i)
{
    calls.append(i, logs[i].control(event_kind::usage, "{}").control(event_kind::exit, R"({"status":"success"})").take());
    calls.records("final", [i](storage& to) { return finish_with_files(&to, i); });
    calls.records("sandbox end",
        [i](storage& to) { return to.sandboxes().update(numbered<sandbox_id>(i), sandbox_state::destroyed, "", "ended", 4000); });
}

/// One that was over soon: its log is stored with its end.
void add_short_one(call_list& calls, int i)
{
    calls.records("short one", [i](storage& to) { return to.executions().insert(execution(i), {}); });
    calls.records("its end and log", [i](storage& to) {
        log_builder log;
        log.control(event_kind::state, "{}").out("a line").control(event_kind::exit, R"({"status":"success"})");
        return to.executions().finish({final_row(i), {}, std::nullopt, log.take()});
    });
}

/// One that was over before it was recorded.
void add_ended_one(call_list& calls, int i)
{
    calls.records("ended one", [i](storage& to) {
        log_builder log;
        log.control(event_kind::state, "{}").out("a line").control(event_kind::exit, R"({"status":"success"})");
        return to.executions().insert_ended({final_row(i), {}, std::nullopt, log.take()}, {});
    });
}

std::string records_content(sqlite::connection& db)
{
    std::string text;
    for (const auto& table :
        texts(db,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'sqlite_sequence') ORDER BY name")) {
        if (is_of_threads(table))
            continue;
        std::string columns;
        int count = 0;
        for (const auto& column : texts(db, "SELECT name FROM pragma_table_info('" + table + "')"))
            if (column != "last_used_at_ms" && column != "content_id") {    // written later, not promised; made of the time
                columns += (columns.empty() ? "\"" : ", \"") + column + "\"";
                ++count;
            }
        add_rows(text, db, table, "SELECT " + columns + " FROM \"" + table + "\" ORDER BY " + columns, count);
    }
    return text + threads_content(db);
}

std::string events_content(sqlite::connection& db)
{
    std::string text;
    add_rows(text, db, "events",
        "SELECT l.execution_id, e.seq, e.control_no, e.kind, e.stream, e.offset, e.length, e.stdout_end, e.stderr_end, e.at_ms, e.body, "
        "e.data FROM logs AS l JOIN events AS e ON e.log = l.key WHERE l.execution_id NOT LIKE 'erased:%' ORDER BY l.execution_id, e.seq",
        12);
    add_rows(text, db, "cuts",
        "SELECT l.execution_id, c.stream, c.offset FROM logs AS l JOIN cuts AS c ON c.log = l.key "
        "WHERE l.execution_id NOT LIKE 'erased:%' ORDER BY 1, 2",
        3);
    return text;
}

/// Their keys differ from one database to the next.
void add_chunks(std::string& text, sqlite::connection& db)
{
    const sqlite::chunk_reader files(db.file());
    auto query = db.prepare(
        "SELECT p.number, b.data, l.place, p.first_byte, p.size_bytes FROM contents AS c JOIN pieces AS p ON p.content_id = c.id "
        "LEFT JOIN chunk_bytes AS b ON b.chunk = p.chunk LEFT JOIN chunk_places AS l ON l.chunk = p.chunk "
        "WHERE c.state = 2 ORDER BY c.id, p.number");
    std::uint64_t hash = 0xcbf29ce484222325;
    int rows = 0;
    for (; query.step(); ++rows) {
        for (const int column : {0, 3, 4})
            hash = mixed(hash, query.view(column));
        const auto chunk = query.is_null(2) ? std::string(query.view(1)) : files.read(query.integer(2));
        const auto [first, size] = query.is_null(3) ? std::pair<std::size_t, std::size_t>{0, chunk.size()}
                                                    : std::pair<std::size_t, std::size_t>{query.integer(3), query.integer(4)};
        hash = mixed(hash, chunk.substr(std::min(first, chunk.size()), size));
    }
    text += "chunks:" + std::to_string(rows) + ":" + std::to_string(hash) + " ";
}

/// What was finished and not erased.
std::string contents_content(sqlite::connection& db)
{
    std::string text;
    add_rows(text, db, "contents", "SELECT tenant_id, sha256, size_bytes FROM contents WHERE state = 2 ORDER BY id", 3);
    add_chunks(text, db);
    return text;
}

}    // namespace

std::vector<store_call> representative_calls()
{
    call_list calls;
    std::vector<log_builder> logs(executions_in_load + 1);
    add_keys(calls);
    add_submits(calls);
    for (int i = 1; i <= 3; ++i)
        add_start(calls, logs, i);
    add_output(calls, logs);
    calls.records("cancel", [](storage& to) { return to.executions().request_cancel(numbered<tenant_id>(1), numbered<execution_id>(3)); });
    add_contents(calls);
    add_end(calls, logs, 1);
    add_end(calls, logs, 2);
    calls.erase_events(1);
    calls.records(
        "erase", [](storage& to) { return without_value(to.executions().erase(numbered<tenant_id>(1), numbered<execution_id>(1))); });
    for (int i = executions_in_load + 1; i <= executions_in_load + 2; ++i)
        add_short_one(calls, i);
    calls.records("erase short one", [](storage& to) {
        return without_value(to.executions().erase(numbered<tenant_id>(1), numbered<execution_id>(executions_in_load + 2)));
    });
    add_ended_one(calls, executions_in_load + 3);
    calls.append(3, logs[3].out("more").take());
    calls.contents("erase content", [](storage& to) { return erase_last_content(&to); });
    calls.contents("small contents", [](storage& to) { return add_small_contents(&to); });
    auto all = calls.take();
    std::ranges::move(thread_calls(), std::back_inserter(all));
    return all;
}

const char* name_of(database_file file)
{
    constexpr const char* names[] = {"records.db", "events.db", "content.db"};
    return names[static_cast<std::size_t>(file)];
}

std::string content_of(const std::filesystem::path& data_dir, database_file file)
{
    sqlite::connection db(data_dir / name_of(file), sqlite::open_mode::read_only);
    if (file == database_file::content)
        return contents_content(db);
    return file == database_file::records ? records_content(db) : events_content(db);
}

std::string integrity_of(const std::filesystem::path& data_dir, database_file file)
{
    std::string findings;
    const std::string name = name_of(file);
    sqlite::connection db(data_dir / name, sqlite::open_mode::read_only);
    for (const auto& line : texts(db, "PRAGMA integrity_check"))
        findings += line == "ok" ? "" : name + ": " + line + "\n";
    for (const auto& table : texts(db, "PRAGMA foreign_key_check"))
        findings += name + ": a row of " + table + " refers to nothing\n";
    return file == database_file::records ? findings + chain_findings(db) : findings;
}

std::string integrity_of(const std::filesystem::path& data_dir)
{
    std::string findings;
    for (const auto file : all_databases)
        findings += integrity_of(data_dir, file);
    return findings;
}

fast_dir::fast_dir()
{
    const std::filesystem::path memory = "/dev/shm";
    const auto parent = ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    auto name = (parent / "caisson-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("mkdtemp failed");
    path_ = name;
}

fast_dir::~fast_dir()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void fast_dir::empty() const
{
    for (const auto& each : std::filesystem::directory_iterator(path_))
        std::filesystem::remove_all(each.path());
}

}    // namespace caisson::testing
