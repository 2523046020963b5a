#include "storage/stores/event_store.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/transaction.hpp"

namespace caisson {

namespace {

constexpr std::size_t max_events_per_read = 4096;

/// The short key of an execution's log.
std::optional<std::int64_t> find_log(sqlite::connection& db, const execution_id& id)
{
    auto query = db.prepare(sql::log::find);
    if (!query.bind(id).step())
        return std::nullopt;
    return query.integer(0);
}

std::int64_t find_or_make_log(sqlite::connection& db, const execution_id& id)
{
    if (const auto key = find_log(db, id))
        return *key;
    db.prepare(sql::log::insert).bind(id).run();
    return db.last_key();
}

log_position position_from(sqlite::column_reader& columns)
{
    log_position position;
    position.control = columns.count();
    position.stdout_end = columns.count();
    position.stderr_end = columns.count();
    return position;
}

/// An event with this seq was stored before: fine if it is the same one.
result<void> check_repeat(sqlite::connection& db, std::int64_t log, const log_event& event)
{
    auto query = db.prepare(sql::event::position_at);
    query.bind(log, event.end.seq()).step();
    sqlite::column_reader columns(query);
    if (position_from(columns) == event.end)
        return {};
    return error{errc::conflict, "another event ends at " + std::to_string(event.end.seq())};
}

result<void> insert_events(sqlite::connection& db, std::int64_t log, const event_list& events)
{
    auto insert = db.prepare(sql::event::insert);
    for (const auto& event : events) {
        const auto length = event->kind == event_kind::truncated ? event->missing_bytes : event->data.size();
        insert.bind(log, event->end.seq(), event->end.control, static_cast<int>(event->kind), static_cast<int>(event->stream));
        insert.bind(event->offset, length, event->end.stdout_end, event->end.stderr_end, event->at_ms);
        insert.bind(sqlite::borrowed_text{event->body}, sqlite::borrowed_blob{event->data.view()}).run();
        if (db.changes() > 0)
            continue;
        if (auto same = check_repeat(db, log, *event); same.has_error())
            return same;
    }
    return {};
}

/// From a row of sql/event/read.sql.
std::shared_ptr<log_event> event_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    auto event = std::make_shared<log_event>();
    event->end.control = columns.count();
    event->kind = static_cast<event_kind>(columns.integer());
    event->stream = static_cast<output_stream>(columns.integer());
    event->offset = columns.count();
    const auto length = columns.count();
    event->end.stdout_end = columns.count();
    event->end.stderr_end = columns.count();
    event->at_ms = columns.integer();
    event->body = columns.text();
    if (event->kind == event_kind::truncated)
        event->missing_bytes = length;
    if (const auto bytes = columns.view(); !bytes.empty())
        event->data = shared_bytes(std::string(bytes));
    return event;
}

/// The seq of the last event up to which a viewer at `after` has all; 0 if there is none. Right too if the viewer saw the
/// bytes of both streams in another order than they are stored in.
std::int64_t last_seen(sqlite::connection& db, std::int64_t log, const log_position& after)
{
    auto query = db.prepare(sql::event::last_seen);
    query.set(":log", log).set(":seq", after.seq());
    query.set(":control", after.control).set(":stdout_end", after.stdout_end).set(":stderr_end", after.stderr_end);
    return query.step() ? query.integer(0) : 0;
}

event_list read_events(sqlite::connection& db, std::int64_t log, const log_position& after, std::size_t max_bytes)
{
    auto query = db.prepare(sql::event::read);
    query.set(":log", log).set(":from_seq", last_seen(db, log, after)).set(":max_events", max_events_per_read);
    query.set(":control", after.control).set(":stdout_end", after.stdout_end).set(":stderr_end", after.stderr_end);
    event_list events;
    std::size_t bytes = 0;
    while (query.step()) {
        auto event = event_from(query);
        bytes += event->data.size();
        if (!events.empty() && bytes > max_bytes)
            break;
        events.push_back(std::move(event));
    }
    return events;
}

/// Without its cuts.
log_extent extent_of(sqlite::connection& db, std::int64_t log)
{
    log_extent found;
    auto totals = db.prepare(sql::event::totals);
    totals.set(":log", log).set(":overhead", log_event::stored_overhead);
    totals.step();
    sqlite::column_reader sums(totals);
    found.stored_output_bytes = sums.count();
    found.has_exit = sums.flag();
    found.stdout_truncated = sums.flag();
    found.stderr_truncated = sums.flag();
    found.stored_bytes = sums.count();
    auto last = db.prepare(sql::event::last_position);
    if (last.bind(log).step()) {
        sqlite::column_reader columns(last);
        found.end = position_from(columns);
    }
    return found;
}

}    // namespace

task<result<void>> sqlite_event_store::append(execution_id id, event_list events, std::vector<stream_cut> cuts)
{
    return db_.write([id = std::move(id), events = std::move(events), cuts = std::move(cuts)](sqlite::connection& db) -> result<void> {
        const auto log = find_or_make_log(db, id);
        if (auto added = insert_events(db, log, events); added.has_error())
            return added;
        auto insert = db.prepare(sql::log::insert_cut);
        for (const auto& cut : cuts)
            insert.bind(log, static_cast<int>(cut.stream), cut.offset).run();
        return {};
    });
}

/// A log is in one of the two, and most are short.
task<result<event_list>> sqlite_event_store::read(execution_id id, log_position after, std::size_t max_bytes)
{
    const auto look = [id = std::move(id), after, max_bytes](sqlite::connection& db) -> result<std::optional<event_list>> {
        const auto log = find_log(db, id);
        return log ? std::optional(read_events(db, *log, after, max_bytes)) : std::nullopt;
    };
    for (auto* const each : {&records_, &db_}) {
        auto reading = each->read(look);
        auto found = co_await std::move(reading);
        if (found.has_error())
            co_return found.error();
        if (*found)
            co_return std::move(**found);
    }
    co_return event_list();
}

task<result<log_extent>> sqlite_event_store::extent(execution_id id)
{
    auto look = [id](sqlite::connection& db) -> result<std::optional<log_extent>> {
        const auto log = find_log(db, id);
        return log ? std::optional(extent_of(db, *log)) : std::nullopt;
    };
    auto looking = records_.read(std::move(look));
    auto whole = co_await std::move(looking);
    if (whole.has_error())
        co_return whole.error();
    if (*whole)
        co_return std::move(**whole);    // none of its streams was cut
    auto read = [id = std::move(id)](sqlite::connection& db) -> result<log_extent> {
        const auto log = find_log(db, id);
        if (!log)
            return log_extent();
        auto found = extent_of(db, *log);
        auto cuts = db.prepare(sql::log::cuts);
        cuts.bind(*log);
        while (cuts.step())
            found.cuts.push_back({static_cast<output_stream>(cuts.integer(0)), static_cast<std::uint64_t>(cuts.integer(1))});
        return found;
    };
    auto reading = db_.read(std::move(read));
    co_return co_await std::move(reading);
}

/// The log loses its name in one step; its events go in small ones when the writer is idle.
task<result<void>> sqlite_event_store::erase(execution_id id)
{
    auto rename = [id = std::move(id)](sqlite::connection& db) -> result<void> {
        db.prepare(sql::log::rename).bind(id).run();
        return {};
    };
    auto renaming = db_.write_freeing(std::move(rename));
    auto renamed = co_await std::move(renaming);
    db_.tidy();
    co_return renamed;
}

result<void> sqlite::insert_whole_log(connection& db, const execution_id& id, const event_list& events)
{
    return events.empty() ? result<void>() : insert_events(db, find_or_make_log(db, id), events);
}

void sqlite::erase_whole_log(connection& db, const execution_id& id)
{
    const auto log = find_log(db, id);
    if (!log)
        return;
    db.prepare(sql::event::erase_all).bind(*log).run();
    db.prepare(sql::log::erase).bind(*log).run();
}

bool sqlite::erase_some_events(connection& db)
{
    constexpr int events_per_step = 32;    // some megabytes at most
    std::int64_t log = 0;
    {
        auto next = db.prepare(sql::log::next_erased);
        if (!next.step())
            return false;
        log = next.integer(0);
    }
    transaction all(db, transaction_kind::write);
    db.prepare(sql::event::erase).bind(log, events_per_step).run();
    if (db.changes() < events_per_step)
        for (const auto statement : {sql::log::erase_cuts, sql::log::erase})
            db.prepare(statement).bind(log).run();
    all.commit();
    return true;
}

}    // namespace caisson
