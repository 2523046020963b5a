#include "storage/stores/webhook_store.hpp"

#include "storage/sql.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace caisson {

namespace {

/// Looked at in one search. Of a tenant with more receivers the rest have to wait.
constexpr std::size_t most_receivers = 1'000;

webhook_status status_from(sqlite::column_reader& columns)
{
    webhook_status out;
    out.url = columns.text();
    out.state = webhook_state_from(columns.view()).value_or(webhook_state::failed);
    out.attempts = static_cast<int>(columns.integer());
    if (const auto status = columns.optional_integer())
        out.last_status = static_cast<int>(*status);
    out.last_error = columns.text();
    out.next_attempt_at_ms = columns.optional_integer();
    return out;
}

void add_due(sqlite::connection& db, const webhook_query& wanted, const tenant_id& tenant, const std::string& receiver,
    std::vector<webhook_job>& out)
{
    auto query = db.prepare(sql::webhook::due);
    query.bind(tenant, receiver, wanted.now_ms, wanted.per_receiver);
    while (query.step()) {
        sqlite::column_reader columns(query);
        webhook_job job;
        job.execution = columns.id<execution_id>();
        job.tenant = tenant;
        job.receiver = receiver;
        job.secret = columns.text();
        job.status = status_from(columns);
        out.push_back(std::move(job));
    }
}

/// The next text behind `after`, or nothing.
template <class... Bound>
std::optional<std::string> next_text(sqlite::connection& db, std::string_view sql, const Bound&... bound)
{
    auto query = db.prepare(sql);
    if (!query.bind(bound...).step())
        return std::nullopt;
    return std::string(query.view(0));
}

/// The oldest of a tenant's.
std::vector<webhook_job> due_of(sqlite::connection& db, const webhook_query& wanted, const tenant_id& tenant)
{
    std::vector<webhook_job> out;
    auto receiver = next_text(db, sql::webhook::next_receiver, tenant, std::string_view());
    for (std::size_t i = 0; receiver && i < most_receivers; ++i) {
        add_due(db, wanted, tenant, *receiver, out);
        receiver = next_text(db, sql::webhook::next_receiver, tenant, *receiver);
    }
    std::ranges::sort(out, {}, [](const webhook_job& job) { return std::tie(job.status.next_attempt_at_ms, job.execution); });
    out.resize(std::min(out.size(), wanted.per_tenant));
    return out;
}

/// Tenants behind `after` and not behind `last`.
void add_tenants(
    sqlite::connection& db, const webhook_query& wanted, std::string after, std::string_view last, std::vector<webhook_job>& out)
{
    while (out.size() < wanted.limit) {
        auto name = next_text(db, sql::webhook::next_tenant, after);
        if (!name || (!last.empty() && *name > last))
            return;
        auto found = due_of(db, wanted, tenant_id::from_trusted(*name));
        std::ranges::move(found, std::back_inserter(out));
        after = std::move(*name);
    }
}

}    // namespace

task<result<webhook_status>> sqlite_webhook_store::find(tenant_id tenant, execution_id execution)
{
    return db_.read([tenant = std::move(tenant), execution = std::move(execution)](sqlite::connection& db) -> result<webhook_status> {
        auto query = db.prepare(sql::webhook::find);
        if (!query.bind(execution, tenant).step())
            return error{errc::not_found, "no webhook of " + execution.str()};
        sqlite::column_reader columns(query);
        return status_from(columns);
    });
}

task<result<std::vector<webhook_job>>> sqlite_webhook_store::due(webhook_query wanted)
{
    return db_.read([wanted = std::move(wanted)](sqlite::connection& db) -> result<std::vector<webhook_job>> {
        std::vector<webhook_job> out;
        const std::string after(wanted.after.str());
        add_tenants(db, wanted, after, "", out);
        if (!after.empty())
            add_tenants(db, wanted, "", after, out);
        return out;
    });
}

task<result<std::optional<std::int64_t>>> sqlite_webhook_store::next_due(std::int64_t now_ms)
{
    return db_.read([now_ms](sqlite::connection& db) -> result<std::optional<std::int64_t>> {
        auto query = db.prepare(sql::webhook::next_due);
        if (!query.bind(now_ms).step())
            return std::optional<std::int64_t>();
        return std::optional(query.integer(0));
    });
}

task<result<void>> sqlite_webhook_store::note(execution_id execution, webhook_status status)
{
    return db_.write([execution = std::move(execution), status = std::move(status)](sqlite::connection& db) -> result<void> {
        db.prepare(sql::webhook::note)
            .bind(to_string(status.state), status.attempts, status.last_status, status.last_error, status.next_attempt_at_ms, execution)
            .run();
        if (db.changes() == 0)
            return error{errc::not_found, "no webhook of " + execution.str()};
        return {};
    });
}

task<result<std::size_t>> sqlite_webhook_store::erase_ended(std::int64_t before_ms, std::size_t limit)
{
    return db_.write([before_ms, limit](sqlite::connection& db) -> result<std::size_t> {
        db.prepare(sql::webhook::erase_ended).bind(before_ms, limit).run();
        return static_cast<std::size_t>(db.changes());
    });
}

}    // namespace caisson
