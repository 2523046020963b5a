#include "tests/support/fake_files.hpp"

#include <algorithm>

namespace caisson::testing {

namespace {

error no_artifact(const std::string& path) { return {errc::not_found, "no artifact " + path}; }

constexpr auto by_path = [](const auto& a, const auto& b) { return a < b; };

}    // namespace

template <class Wanted, class Before>
std::vector<fake_artifact_store::row_key> fake_artifact_store::select(Wanted wanted, Before before, std::size_t limit) const
{
    std::vector<row_key> keys;
    for (const auto& [key, row] : rows_)
        if (wanted(row))
            keys.push_back(key);
    std::sort(keys.begin(), keys.end(), before);
    keys.resize(std::min(keys.size(), limit));
    return keys;
}

content_id fake_artifact_store::take(const row_key& which)
{
    auto content = rows_.at(which).content;
    rows_.erase(which);
    order_.erase(which);
    return content;
}

void fake_artifact_store::add(std::vector<artifact_row> rows)
{
    for (auto& row : rows) {
        const row_key key{row.execution, row.path};
        if (rows_.emplace(key, std::move(row)).second)
            order_[key] = ++added_;
    }
}

std::vector<content_id> fake_artifact_store::remove(const tenant_id& tenant, const execution_id& execution)
{
    std::vector<content_id> contents;
    const auto mine = [&](const artifact_row& row) { return row.tenant == tenant && row.execution == execution; };
    for (const auto& key : select(mine, by_path, rows_.size()))
        contents.push_back(take(key));
    return contents;
}

task<result<std::vector<artifact_row>>> fake_artifact_store::list(
    tenant_id tenant, execution_id execution, std::string after, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    const auto mine = [&](const artifact_row& row) { return row.tenant == tenant && row.execution == execution && row.path > after; };
    std::vector<artifact_row> page;
    for (const auto& key : select(mine, by_path, limit))
        page.push_back(rows_.at(key));
    co_return page;
}

task<result<std::vector<std::string>>> fake_artifact_store::paths(tenant_id tenant, execution_id execution, std::size_t limit)
{
    auto rows = co_await list(std::move(tenant), std::move(execution), "", limit);
    if (rows.has_error())
        co_return rows.error();
    std::vector<std::string> found;
    for (auto& each : *rows)
        found.push_back(std::move(each.path));
    co_return found;
}

task<result<artifact_row>> fake_artifact_store::find(tenant_id tenant, execution_id execution, std::string path)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = rows_.find({std::move(execution), path});
    if (found == rows_.end() || found->second.tenant != tenant)
        co_return no_artifact(path);
    co_return found->second;
}

task<result<content_id>> fake_artifact_store::erase(tenant_id tenant, execution_id execution, std::string path)
{
    if (auto planned = enter())
        co_return *planned;
    const row_key key{std::move(execution), path};
    const auto found = rows_.find(key);
    if (found == rows_.end() || found->second.tenant != tenant)
        co_return no_artifact(path);
    co_return take(key);
}

task<result<std::vector<content_id>>> fake_artifact_store::erase_all(tenant_id tenant, execution_id execution, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    const auto mine = [&](const artifact_row& row) { return row.tenant == tenant && row.execution == execution; };
    std::vector<content_id> contents;
    for (const auto& key : select(mine, by_path, limit))
        contents.push_back(take(key));
    co_return contents;
}

task<result<std::vector<owned_content>>> fake_artifact_store::erase_expired(std::int64_t now_ms, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    const auto expired = [&](const artifact_row& row) { return row.expires_at_ms && *row.expires_at_ms <= now_ms; };
    const auto before = [this](const row_key& a, const row_key& b) {
        return std::pair(rows_.at(a).expires_at_ms, order_.at(a)) < std::pair(rows_.at(b).expires_at_ms, order_.at(b));
    };
    std::vector<owned_content> contents;
    for (const auto& key : select(expired, before, limit)) {
        auto tenant = rows_.at(key).tenant;
        contents.push_back({std::move(tenant), take(key)});
    }
    co_return contents;
}

task<result<std::vector<content_id>>> fake_artifact_store::erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit)
{
    std::int64_t bytes = 0;
    for (const auto& [key, row] : rows_)
        bytes += row.tenant == tenant ? row.size_bytes : 0;
    auto erased = co_await erase_oldest(std::move(tenant), bytes - max_bytes, limit);
    if (erased.has_error())
        co_return erased.error();
    co_return std::move(erased->contents);
}

task<result<erased_artifacts>> fake_artifact_store::erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    const auto mine = [&](const artifact_row& row) { return row.tenant == tenant; };
    const auto before = [this](const row_key& a, const row_key& b) {
        return std::pair(rows_.at(a).created_at_ms, order_.at(a)) < std::pair(rows_.at(b).created_at_ms, order_.at(b));
    };
    erased_artifacts out;
    for (const auto& key : select(mine, before, limit)) {
        if (out.bytes >= bytes)
            break;
        out.bytes += rows_.at(key).size_bytes;
        out.contents.push_back(take(key));
    }
    co_return out;
}

task<result<std::vector<tenant_id>>> fake_artifact_store::tenants()
{
    if (auto planned = enter())
        co_return *planned;
    std::set<tenant_id> all;
    for (const auto& [key, row] : rows_)
        all.insert(row.tenant);
    co_return std::vector<tenant_id>(all.begin(), all.end());
}

task<result<content_usage>> fake_artifact_store::usage(tenant_id tenant)
{
    if (auto planned = enter())
        co_return *planned;
    content_usage sum;
    for (const auto& [key, row] : rows_) {
        if (row.tenant != tenant)
            continue;
        ++sum.artifacts;
        sum.artifact_bytes += row.size_bytes;
    }
    co_return sum;
}

task<result<std::vector<content_id>>> fake_artifact_store::named(std::vector<content_id> ids)
{
    if (auto planned = enter())
        co_return *planned;
    std::set<content_id> known = named_elsewhere;
    for (const auto& [key, row] : rows_)
        known.insert(row.content);
    std::erase_if(ids, [&](const content_id& id) { return !known.contains(id); });
    co_return ids;
}

signing_key fake_signing_key_store::add(std::string secret, std::int64_t now_ms)
{
    return keys_.emplace_back(signing_key{++last_id_, std::move(secret), now_ms, std::nullopt});
}

task<result<signing_key>> fake_signing_key_store::current(std::string fresh_secret, std::int64_t now_ms)
{
    if (auto planned = enter())
        co_return *planned;
    if (!keys_.empty() && !keys_.back().retired_at_ms)
        co_return keys_.back();
    co_return add(std::move(fresh_secret), now_ms);
}

task<result<signing_key>> fake_signing_key_store::rotate(std::string fresh_secret, std::int64_t now_ms)
{
    if (auto planned = enter())
        co_return *planned;
    if (!keys_.empty() && !keys_.back().retired_at_ms)
        keys_.back().retired_at_ms = now_ms;
    co_return add(std::move(fresh_secret), now_ms);
}

task<result<std::vector<signing_key>>> fake_signing_key_store::list()
{
    if (auto planned = enter())
        co_return *planned;
    co_return std::vector<signing_key>(keys_.rbegin(), keys_.rend());
}

task<result<std::size_t>> fake_signing_key_store::erase_retired(std::int64_t before_ms)
{
    if (auto planned = enter())
        co_return *planned;
    co_return std::erase_if(keys_, [before_ms](const signing_key& key) { return key.retired_at_ms && *key.retired_at_ms < before_ms; });
}

}    // namespace caisson::testing
