/// usage: bench-records --dir DIR --by store|loop [--writers N] [--ms N]
/// store: N coroutines insert execution records by way of the server's storage, each waiting until its record is durable.
/// loop: one thread inserts copies of such a record with SQLite alone, one transaction each, as durable. Both for `ms`.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "core/async/task_group.hpp"
#include "storage/storage.hpp"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace caisson::bench {

namespace {

struct measurement {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t wall_ns = 0;
    samples_ns samples;
    std::exception_ptr failure;
};

execution_row make_row(id_factory& ids, const clock& time)
{
    execution_row row;
    row.id = ids.make<execution_id>();
    row.tenant = tenant_id::from_trusted("ten_00000000000000000000000000");
    row.runtime = "bubblewrap";
    row.created_at_ms = time.now_ms();
    return row;
}

execution_spec make_spec()
{
    execution_spec spec;
    spec.argv = {"/usr/bin/true"};
    spec.runtime = "bubblewrap";
    return spec;
}

task<> insert_until_end(execution_store* store, id_factory* ids, const clock* time, measurement* out)
{
    try {
        while (now_ns() < out->end_ns) {
            const auto begin = now_ns();
            auto inserted = co_await store->insert(make_row(*ids, *time), make_spec());
            inserted.value();
            out->samples.push_back(now_ns() - begin);
        }
    } catch (...) {
        out->failure = std::current_exception();
    }
}

void measure_store(const std::string& dir, std::int64_t writers, std::int64_t ms, measurement& out)
{
    asio::io_context context(1);
    null_logger log;
    system_clock time;
    id_factory ids(time);
    const auto opened = storage::open(dir);
    task_group all(context.get_executor(), log);
    out.begin_ns = now_ns();
    out.end_ns = out.begin_ns + ms * 1'000'000;
    for (std::int64_t i = 0; i < writers; ++i)
        all.spawn("writer", insert_until_end(&opened->executions(), &ids, &time, &out));
    context.run();
    out.wall_ns = now_ns() - out.begin_ns;
}

/// The SQLite API as the loop needs it. Failures throw.
class plain_database {
public:
    explicit plain_database(const std::string& file)
    {
        const int opened = sqlite3_open_v2(file.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
        if (opened != SQLITE_OK)
            throw std::runtime_error("cannot open " + file);
        execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096; PRAGMA cache_size = -32768");
    }
    ~plain_database() { sqlite3_close_v2(handle_); }
    plain_database(const plain_database&) = delete;
    plain_database& operator=(const plain_database&) = delete;

    void execute(const char* script)
    {
        if (sqlite3_exec(handle_, script, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(handle_));
    }
    sqlite3_stmt* prepare(const std::string& text)
    {
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(handle_, text.c_str(), -1, &made, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(handle_));
        return made;
    }

private:
    sqlite3* handle_ = nullptr;
};

using owned_statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;
using owned_value = std::unique_ptr<sqlite3_value, void (*)(sqlite3_value*)>;

/// Inserts copies of the first row of a table under new keys; the key is the first column.
class row_copier {
public:
    row_copier(plain_database& db, const std::string& table) : insert_(nullptr, &sqlite3_finalize)
    {
        const owned_statement model(db.prepare("SELECT * FROM " + table + " LIMIT 1"), &sqlite3_finalize);
        if (sqlite3_step(model.get()) != SQLITE_ROW)
            throw std::runtime_error(table + " is empty");
        std::string places = "?";
        for (int column = 1; column < sqlite3_column_count(model.get()); ++column) {
            values_.emplace_back(sqlite3_value_dup(sqlite3_column_value(model.get(), column)), &sqlite3_value_free);
            places += ",?";
        }
        insert_.reset(db.prepare("INSERT INTO " + table + " VALUES (" + places + ")"));
    }

    void insert(const std::string& key)
    {
        sqlite3_bind_text(insert_.get(), 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
        int column = 1;
        for (const auto& value : values_)
            sqlite3_bind_value(insert_.get(), ++column, value.get());
        if (sqlite3_step(insert_.get()) != SQLITE_DONE)
            throw std::runtime_error("INSERT failed");
        sqlite3_reset(insert_.get());
    }

private:
    owned_statement insert_;
    std::vector<owned_value> values_;
};

void measure_loop(const std::string& dir, std::int64_t ms, measurement& out)
{
    measurement one;
    measure_store(dir, 1, 1, one);    // makes the schema and a record to copy
    plain_database db(dir + "/records.db");
    row_copier executions(db, "executions");
    row_copier specs(db, "execution_specs");
    system_clock time;
    id_factory ids(time);
    out.begin_ns = now_ns();
    out.end_ns = out.begin_ns + ms * 1'000'000;
    while (now_ns() < out.end_ns) {
        const auto begin = now_ns();
        const auto id = ids.make<execution_id>();
        db.execute("BEGIN IMMEDIATE");
        executions.insert(id.str());
        specs.insert(id.str());
        db.execute("COMMIT");
        out.samples.push_back(now_ns() - begin);
    }
    out.wall_ns = now_ns() - out.begin_ns;
}

void measure(const arguments& given)
{
    const auto ms = given.count("ms", 1'000);
    measurement out;
    if (given.text("by") == "loop")
        measure_loop(given.text("dir"), ms, out);
    else
        measure_store(given.text("dir"), given.count("writers", 64), ms, out);
    if (out.failure)
        std::rethrow_exception(out.failure);
    print_report({{"wall_ns", out.wall_ns}}, out.samples);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
