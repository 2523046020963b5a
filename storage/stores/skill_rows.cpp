#include "storage/stores/skill_rows.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/statement.hpp"
#include "storage/stores/tenant_quota.hpp"

namespace caisson::sqlite {

namespace {

skill_manifest stored_manifest(std::string_view text)
try {
    return manifest_from_json(text);
} catch (const std::exception& e) {
    throw storage_error(storage_fault::corrupt, std::string("records.db: a skill's manifest cannot be read: ") + e.what());
}

skill_revision whole_row(const statement& query)
{
    column_reader columns(query);
    skill_revision row;
    row.tenant = columns.id<tenant_id>();
    read_upload(columns, row);
    row.manifest = stored_manifest(columns.view());
    return row;
}

std::int64_t one_integer(statement query) { return query.step() ? query.integer(0) : 0; }

result<void> check_totals(connection& db, const skill_revision& row, const skill_bounds& bounds)
{
    const auto now = skill_usage_of(db, row.tenant);
    if (now.bytes + row.size_bytes > bounds.max_bytes)
        return tenant_is_full("the packages of this tenant have " + std::to_string(now.bytes) + " bytes, with this one more than the " +
                                  std::to_string(bounds.max_bytes) + " that they may have; delete versions that are not needed",
            "skills.max_bytes_per_tenant", bounds.max_bytes);
    if (now.packages >= bounds.max_packages)
        return tenant_is_full("this tenant has " + std::to_string(now.packages) +
                                  " packages, which is the most it may have; delete versions that are not needed",
            "skills.max_packages_per_tenant", bounds.max_packages);
    return {};
}

result<void> check_new_version(connection& db, const skill_revision& row, const skill_bounds& bounds)
{
    auto query = db.prepare(sql::skill::count_versions);
    query.bind(row.tenant, row.manifest.name);
    const auto versions = one_integer(std::move(query));
    if (versions >= bounds.max_versions)
        return tenant_is_full("the skill \"" + row.manifest.name + "\" has " + std::to_string(versions) +
                                  " versions, which is the most it may have; delete some",
            "skills.max_versions_per_skill", bounds.max_versions);
    if (versions == 0 && skill_usage_of(db, row.tenant).skills >= bounds.max_skills)
        return tenant_is_full(
            "this tenant has " + std::to_string(bounds.max_skills) + " skills, which is the most it may have; delete some",
            "skills.max_skills_per_tenant", bounds.max_skills);
    return {};
}

void insert_version(connection& db, const skill_revision& row)
{
    const auto& said = row.manifest;
    db.prepare(sql::skill::insert_version)
        .bind(row.tenant, said.name, said.version, row.digest, said.description, said.lang, row.uploaded_at_ms)
        .run();
}

void update_version(connection& db, const skill_revision& row)
{
    const auto& said = row.manifest;
    db.prepare(sql::skill::update_version)
        .bind(row.digest, said.description, said.lang, row.uploaded_at_ms, row.tenant, said.name, said.version)
        .run();
}

void insert_revision(connection& db, const skill_revision& row)
{
    const auto& said = row.manifest;
    db.prepare(sql::skill::insert_revision)
        .bind(row.tenant, row.digest, said.name, said.version, row.content, row.size_bytes, row.files, row.format, row.uploaded_at_ms,
            manifest_to_json(said))
        .run();
}

/// Removes the oldest revisions of the version, never the one that it means, until there are at most `most`.
std::vector<content_id> drop_oldest(connection& db, const skill_revision& row, std::int64_t most)
{
    std::vector<content_id> dropped;
    auto count = db.prepare(sql::skill::count_revisions);
    count.bind(row.tenant, row.manifest.name, row.manifest.version);
    for (auto left = one_integer(std::move(count)); left > most; --left) {
        std::string digest;
        {
            auto oldest = db.prepare(sql::skill::oldest_replaced);
            if (!oldest.bind(row.tenant, row.manifest.name, row.manifest.version).step())
                break;
            digest = std::string(oldest.view(0));
            dropped.push_back(content_id::from_trusted(std::string(oldest.view(1))));
        }
        db.prepare(sql::skill::erase_revision).bind(row.tenant, digest).run();
    }
    return dropped;
}

void replace(connection& db, const skill_revision& old, std::int64_t now_ms)
{
    db.prepare(sql::skill::replace_revision).bind(now_ms, old.tenant, old.digest).run();
}

/// These bytes are known. They become what the version means, if they are not that already.
skill_put put_known(connection& db, skill_revision known, const skill_revision& row)
{
    skill_put done{std::move(known), false, {row.content}};
    auto& kept = done.kept;
    if (!kept.replaced_at_ms)
        return done;
    if (const auto current = find_skill(db, kept.tenant, kept.manifest.name, kept.manifest.version))
        replace(db, *current, row.uploaded_at_ms);
    kept.uploaded_at_ms = row.uploaded_at_ms;
    kept.replaced_at_ms.reset();
    db.prepare(sql::skill::revive_revision).bind(kept.uploaded_at_ms, kept.tenant, kept.digest).run();
    update_version(db, kept);
    done.is_new = true;
    return done;
}

}    // namespace

void read_upload(column_reader& columns, skill_revision& into)
{
    into.digest = columns.text();
    into.content = columns.id<content_id>();
    into.size_bytes = columns.integer();
    into.files = columns.integer();
    into.format = columns.text();
    into.uploaded_at_ms = columns.integer();
    into.replaced_at_ms = columns.optional_integer();
    into.disabled = columns.flag();
}

result<skill_revision> find_skill(connection& db, const tenant_id& tenant, const std::string& name, const std::string& version)
{
    auto query = db.prepare(sql::skill::find);
    if (!query.bind(tenant, name, version).step())
        return error{errc::not_found, "there is no skill \"" + name + "\" in version \"" + version + "\""};
    return whole_row(query);
}

result<skill_revision> find_package(connection& db, const tenant_id& tenant, const std::string& digest)
{
    auto query = db.prepare(sql::skill::find_by_digest);
    if (!query.bind(tenant, digest).step())
        return error{errc::not_found, "there is no package sha256:" + digest};
    return whole_row(query);
}

skill_usage skill_usage_of(connection& db, const tenant_id& tenant)
{
    auto query = db.prepare(sql::skill::totals);
    if (!query.bind(tenant).step())
        return {};
    return {query.integer(0), query.integer(1), query.integer(2)};
}

result<skill_put> put_skill(connection& db, skill_revision row, const skill_bounds& bounds)
{
    if (auto known = find_package(db, row.tenant, row.digest))
        return put_known(db, std::move(*known), row);
    if (auto fits = check_totals(db, row, bounds); !fits)
        return fits.error();
    const auto current = find_skill(db, row.tenant, row.manifest.name, row.manifest.version);
    row.replaced_at_ms.reset();
    row.disabled = current.has_value() && current->disabled;
    if (current.has_value()) {
        replace(db, *current, row.uploaded_at_ms);
        update_version(db, row);
    } else {
        if (auto fits = check_new_version(db, row, bounds); !fits)
            return fits.error();
        insert_version(db, row);
    }
    insert_revision(db, row);
    auto dropped = drop_oldest(db, row, bounds.max_revisions);
    return skill_put{std::move(row), true, std::move(dropped)};
}

}    // namespace caisson::sqlite
