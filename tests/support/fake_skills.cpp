#include "tests/support/fake_skills.hpp"

#include "adapters/crypto/digest.hpp"

#include <algorithm>

namespace caisson::testing {

namespace {

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

error none() { return {errc::not_found, "no such skill"}; }

error full(std::string limit, std::int64_t value)
{
    error refused{errc::quota_exceeded, "too many"};
    refused.facts = limit_facts{std::move(limit), "tenant", value, 0, 0, 60};
    return refused;
}

class fake_upload : public package_upload {
public:
    explicit fake_upload(int& open) : open_(open) { ++open_; }
    ~fake_upload() override { --open_; }
    fake_upload(const fake_upload&) = delete;
    fake_upload& operator=(const fake_upload&) = delete;

    task<result<void>> write(shared_bytes bytes) override
    {
        bytes_ += bytes.view();
        co_return result<void>();
    }
    task<result<inspected_package>> inspect() override
    {
        const auto said = bytes_.substr(0, bytes_.find('\n'));
        const auto at = said.find('@');
        if (at == std::string::npos)
            co_return error{errc::invalid_skill, "invalid skill: it is none"};
        inspected_package found;
        found.manifest.name = said.substr(0, at);
        found.manifest.version = said.substr(at + 1);
        found.manifest.lang = "bash";
        found.notes = {"a note"};
        found.digest = sha256_hex(bytes_);
        found.size_bytes = static_cast<std::int64_t>(bytes_.size());
        found.files = 2;
        found.format = "zip";
        co_return found;
    }
    task<result<shared_bytes>> read(std::int64_t offset, std::size_t max_bytes) override
    {
        const auto from = std::min(static_cast<std::size_t>(offset), bytes_.size());
        co_return shared_bytes(bytes_.substr(from, max_bytes));
    }

private:
    int& open_;
    std::string bytes_;
};

}    // namespace

skill_usage fake_skill_store::usage_of(const tenant_id& tenant) const
{
    skill_usage found;
    for (const auto& [key, row] : packages_) {
        if (key.first != tenant)
            continue;
        ++found.packages;
        found.bytes += row.size_bytes;
    }
    std::string last;
    for (const auto& [name, version] : versions_)
        if (std::get<0>(name) == tenant && std::exchange(last, std::get<1>(name)) != std::get<1>(name))
            ++found.skills;
    return found;
}

skill_revision fake_skill_store::whole(const skill_revision& row) const
{
    auto copy = row;
    copy.disabled = versions_.at(name_of(row)).disabled;
    return copy;
}

result<void> fake_skill_store::check_room(const skill_revision& row, const skill_bounds& bounds) const
{
    const auto now = usage_of(row.tenant);
    if (now.bytes + row.size_bytes > bounds.max_bytes)
        return full("skills.max_bytes_per_tenant", bounds.max_bytes);
    if (now.packages >= bounds.max_packages)
        return full("skills.max_packages_per_tenant", bounds.max_packages);
    if (versions_.contains(name_of(row)))
        return {};
    const auto is_same = [&row](const auto& each) {
        return std::get<0>(each.first) == row.tenant && std::get<1>(each.first) == row.manifest.name;
    };
    const auto others = std::ranges::count_if(versions_, is_same);
    if (others >= bounds.max_versions)
        return full("skills.max_versions_per_skill", bounds.max_versions);
    if (others == 0 && now.skills >= bounds.max_skills)
        return full("skills.max_skills_per_tenant", bounds.max_skills);
    return {};
}

std::vector<content_id> fake_skill_store::drop_oldest(const skill_revision& row, std::int64_t most)
{
    std::vector<skill_revision> old;
    for (const auto& [key, each] : packages_)
        if (name_of(each) == name_of(row) && each.replaced_at_ms)
            old.push_back(each);
    std::ranges::sort(old, {}, [](const auto& each) { return std::pair(each.uploaded_at_ms, each.digest); });
    std::vector<content_id> dropped;
    for (std::size_t i = 0; static_cast<std::int64_t>(old.size() - i) + 1 > most && i < old.size(); ++i) {
        dropped.push_back(old[i].content);
        packages_.erase({old[i].tenant, old[i].digest});
    }
    return dropped;
}

task<result<skill_put>> fake_skill_store::put(skill_revision row, skill_bounds bounds)
{
    if (auto failed = enter())
        co_return *failed;
    const auto known = packages_.find({row.tenant, row.digest});
    if (known != packages_.end() && !known->second.replaced_at_ms)
        co_return skill_put{whole(known->second), false, {row.content}};
    if (known == packages_.end())
        if (auto room = check_room(row, bounds); !room)
            co_return room.error();
    auto& version = versions_[name_of(row)];
    if (!version.digest.empty())
        packages_.at({row.tenant, version.digest}).replaced_at_ms = row.uploaded_at_ms;
    version.digest = row.digest;
    if (known != packages_.end()) {
        known->second.uploaded_at_ms = row.uploaded_at_ms;
        known->second.replaced_at_ms.reset();
        co_return skill_put{whole(known->second), true, {row.content}};
    }
    row.replaced_at_ms.reset();
    packages_[{row.tenant, row.digest}] = row;
    auto kept = whole(row);
    co_return skill_put{std::move(kept), true, drop_oldest(row, bounds.max_revisions)};
}

task<result<skill_revision>> fake_skill_store::find(tenant_id tenant, std::string name, std::string version)
{
    if (auto failed = enter())
        co_return *failed;
    const auto found = versions_.find({tenant, name, version});
    if (found == versions_.end())
        co_return none();
    co_return whole(packages_.at({tenant, found->second.digest}));
}

task<result<skill_revision>> fake_skill_store::find_digest(tenant_id tenant, std::string digest)
{
    if (auto failed = enter())
        co_return *failed;
    const auto found = packages_.find({tenant, digest});
    if (found == packages_.end())
        co_return none();
    auto row = whole(found->second);
    if (on_found)
        on_found();
    co_return row;
}

task<result<std::vector<std::string>>> fake_skill_store::enabled_versions(tenant_id tenant, std::string name)
{
    if (auto failed = enter())
        co_return *failed;
    std::vector<std::string> found;
    for (const auto& [key, version] : versions_)
        if (std::get<0>(key) == tenant && std::get<1>(key) == name && !version.disabled)
            found.push_back(std::get<2>(key));
    co_return found;
}

task<result<std::vector<skill_version_row>>> fake_skill_store::versions(tenant_id tenant, std::string name)
{
    skill_filter all{std::move(name), "", {}, SIZE_MAX};
    return list(std::move(tenant), std::move(all));
}

task<result<std::vector<skill_version_row>>> fake_skill_store::list(tenant_id tenant, skill_filter filter)
{
    if (auto failed = enter())
        co_return *failed;
    const auto text = lower(filter.text);
    std::vector<skill_version_row> rows;
    for (const auto& [key, version] : versions_) {
        const auto& [owner, name, number] = key;
        const auto& row = packages_.at({owner, version.digest});
        const auto& said = row.manifest;
        const bool is_behind = !filter.after || std::pair(name, number) > *filter.after;
        const bool has_text = lower(name).find(text) != std::string::npos || lower(said.description).find(text) != std::string::npos;
        if (owner == tenant && is_behind && has_text && (filter.name.empty() || filter.name == name) && rows.size() < filter.limit)
            rows.push_back({name, number, said.description, said.lang, row.digest, row.uploaded_at_ms, version.disabled});
    }
    co_return rows;
}

task<result<std::vector<skill_revision>>> fake_skill_store::revisions(
    tenant_id tenant, std::string name, std::optional<skill_revision_place> after, std::size_t limit)
{
    if (auto failed = enter())
        co_return *failed;
    const auto place_of = [](const skill_revision& row) { return std::tuple(row.manifest.version, row.uploaded_at_ms, row.digest); };
    std::vector<skill_revision> rows;
    for (const auto& [key, row] : packages_) {
        const bool is_behind = !after || place_of(row) > std::tuple(after->version, after->uploaded_at_ms, after->digest);
        if (row.tenant == tenant && row.manifest.name == name && is_behind)
            rows.push_back(whole(row));
    }
    std::ranges::sort(rows, {}, place_of);
    rows.resize(std::min(limit, rows.size()));
    co_return rows;
}

task<result<void>> fake_skill_store::set_disabled(tenant_id tenant, std::string name, std::string version, bool disabled)
{
    if (auto failed = enter())
        co_return *failed;
    const auto found = versions_.find({tenant, name, version});
    if (found == versions_.end())
        co_return none();
    found->second.disabled = disabled;
    co_return result<void>();
}

task<result<std::vector<skill_revision>>> fake_skill_store::erase(tenant_id tenant, std::string name, std::string version)
{
    if (auto failed = enter())
        co_return *failed;
    const auto is_meant = [&](const version_name& each) {
        return std::get<0>(each) == tenant && std::get<1>(each) == name && (version.empty() || std::get<2>(each) == version);
    };
    std::vector<skill_revision> gone;
    for (const auto& [key, row] : packages_)
        if (is_meant(name_of(row)))
            gone.push_back(whole(row));
    if (gone.empty())
        co_return none();
    std::erase_if(packages_, [&](const auto& each) { return is_meant(name_of(each.second)); });
    std::erase_if(versions_, [&](const auto& each) { return is_meant(each.first); });
    co_return gone;
}

task<result<skill_usage>> fake_skill_store::usage(tenant_id tenant)
{
    if (auto failed = enter())
        co_return *failed;
    co_return usage_of(tenant);
}

task<result<std::unique_ptr<package_upload>>> fake_intake::begin(std::vector<std::string> allowed)
{
    if (auto failed = enter())
        co_return *failed;
    images = std::move(allowed);
    co_return std::unique_ptr<package_upload>(std::make_unique<fake_upload>(open));
}

std::string fake_intake::digest_of(std::string_view bytes) { return sha256_hex(bytes); }

}    // namespace caisson::testing
