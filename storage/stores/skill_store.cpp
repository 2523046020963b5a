#include "storage/stores/skill_store.hpp"

#include "storage/sql.hpp"
#include "storage/stores/skill_rows.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// More than any skill has.
constexpr std::size_t all_versions = 1'000'000;

std::string lower_ascii(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

skill_version_row version_from(const sqlite::statement& query)
{
    sqlite::column_reader columns(query);
    skill_version_row row;
    row.name = columns.text();
    row.version = columns.text();
    row.description = columns.text();
    row.lang = columns.text();
    row.digest = columns.text();
    row.uploaded_at_ms = columns.integer();
    row.disabled = columns.flag();
    return row;
}

std::vector<skill_version_row> read_list(sqlite::connection& db, const tenant_id& tenant, const skill_filter& filter)
{
    const std::pair<std::string, std::string> first;
    const auto& [name, version] = filter.after ? *filter.after : first;
    const bool by_name = !filter.name.empty();
    auto query = db.prepare(by_name ? sql::skill::list_of_name : sql::skill::list);
    query.set(":tenant", tenant).set(":text", lower_ascii(filter.text)).set(":limit", filter.limit);
    if (by_name)
        query.set(":name", filter.name).set(":after_version", name < filter.name ? std::string() : version);
    else
        query.set(":after_name", name).set(":after_version", version);
    std::vector<skill_version_row> rows;
    while (query.step())
        rows.push_back(version_from(query));
    return rows;
}

/// Without their manifests.
std::vector<skill_revision> read_revisions(sqlite::statement query, const tenant_id& tenant, const std::string& name)
{
    std::vector<skill_revision> rows;
    while (query.step()) {
        sqlite::column_reader columns(query);
        auto& row = rows.emplace_back();
        row.tenant = tenant;
        row.manifest.name = name;
        row.manifest.version = columns.text();
        sqlite::read_upload(columns, row);
    }
    return rows;
}

std::vector<skill_revision> erase_revisions(
    sqlite::connection& db, const tenant_id& tenant, const std::string& name, const std::string& version)
{
    const bool all = version.empty();
    auto query = db.prepare(all ? sql::skill::revisions_of_skill : sql::skill::revisions_of_version);
    query.set(":tenant", tenant).set(":name", name);
    if (!all)
        query.set(":version", version);
    auto gone = read_revisions(std::move(query), tenant, name);
    for (const auto& sql : all ? std::initializer_list<std::string_view>{sql::skill::erase_skill_revisions, sql::skill::erase_skill}
                               : std::initializer_list<std::string_view>{sql::skill::erase_version_revisions, sql::skill::erase_version}) {
        auto removal = db.prepare(sql);
        removal.bind(tenant, name);
        if (!all)
            removal.bind(version);
        removal.run();
    }
    return gone;
}

error no_version(const std::string& name, const std::string& version)
{
    return {errc::not_found, "there is no skill \"" + name + "\"" + (version.empty() ? "" : " in version \"" + version + "\"")};
}

}    // namespace

task<result<skill_put>> sqlite_skill_store::put(skill_revision row, skill_bounds bounds)
{
    return db_.write([row = std::move(row), bounds](sqlite::connection& db) { return sqlite::put_skill(db, row, bounds); });
}

task<result<skill_revision>> sqlite_skill_store::find(tenant_id tenant, std::string name, std::string version)
{
    return db_.read([tenant = std::move(tenant), name = std::move(name), version = std::move(version)](
                        sqlite::connection& db) { return sqlite::find_skill(db, tenant, name, version); });
}

task<result<skill_revision>> sqlite_skill_store::find_digest(tenant_id tenant, std::string digest)
{
    return db_.read([tenant = std::move(tenant), digest = std::move(digest)](
                        sqlite::connection& db) { return sqlite::find_package(db, tenant, digest); });
}

task<result<std::vector<std::string>>> sqlite_skill_store::enabled_versions(tenant_id tenant, std::string name)
{
    return db_.read([tenant = std::move(tenant), name = std::move(name)](sqlite::connection& db) -> result<std::vector<std::string>> {
        auto query = db.prepare(sql::skill::enabled_versions);
        query.bind(tenant, name);
        std::vector<std::string> found;
        while (query.step())
            found.emplace_back(query.view(0));
        return found;
    });
}

task<result<std::vector<skill_version_row>>> sqlite_skill_store::versions(tenant_id tenant, std::string name)
{
    return list(std::move(tenant), {std::move(name), "", {}, all_versions});
}

task<result<std::vector<skill_version_row>>> sqlite_skill_store::list(tenant_id tenant, skill_filter filter)
{
    return db_.read([tenant = std::move(tenant), filter = std::move(filter)](
                        sqlite::connection& db) -> result<std::vector<skill_version_row>> { return read_list(db, tenant, filter); });
}

task<result<std::vector<skill_revision>>> sqlite_skill_store::revisions(
    tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit)
{
    return db_.read([tenant = std::move(tenant), name = std::move(name), from = after.value_or(skill_revision_place{}), limit](
                        sqlite::connection& db) -> result<std::vector<skill_revision>> {
        auto query = db.prepare(sql::skill::revisions);
        query.set(":tenant", tenant).set(":name", name).set(":limit", limit);
        query.set(":after_version", from.version).set(":after_ms", from.uploaded_at_ms).set(":after_digest", from.digest);
        return read_revisions(std::move(query), tenant, name);
    });
}

task<result<void>> sqlite_skill_store::set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled)
{
    return db_.write([tenant = std::move(tenant), name = std::move(name), version = std::move(version), disabled](
                         sqlite::connection& db) -> result<void> {
        db.prepare(sql::skill::set_disabled).bind(disabled, tenant, name, version).run();
        if (db.changes() == 0)
            return no_version(name, version);
        return {};
    });
}

task<result<std::vector<skill_revision>>> sqlite_skill_store::erase(tenant_id tenant, std::string name, std::string version)
{
    return db_.write_freeing([tenant = std::move(tenant), name = std::move(name), version = std::move(version)](
                                 sqlite::connection& db) -> result<std::vector<skill_revision>> {
        auto gone = erase_revisions(db, tenant, name, version);
        if (gone.empty())
            return no_version(name, version);
        return gone;
    });
}

task<result<skill_usage>> sqlite_skill_store::usage(tenant_id tenant)
{
    return db_.read(
        [tenant = std::move(tenant)](sqlite::connection& db) -> result<skill_usage> { return sqlite::skill_usage_of(db, tenant); });
}

}    // namespace caisson
